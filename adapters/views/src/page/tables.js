// The panels of tables along a path: coefficients, portfolios, a signal, inputs.

function tablePanels(path, data) {
  const portfolio = data.kind === "portfolio";
  // What comes last is of another kind: return, variance and Sharpe ratio, or the intercept.
  const intercept = data.names.at(-1) === "intercept" && data.kind === "coefficients";
  const own = data.names.length - (portfolio ? 3 : intercept ? 1 : 0);
  const held = data.nonzero ? [["held", portfolio ? "assets held" : "not zero"]] : [];
  const keys = portfolio ? [["return", "return"], ["risk", "risk"], ...held] : intercept ? [["constant", "intercept"], ...held] : held;
  const [table, solution] = solutionPanel(path, data, keys);
  const updates = [solution];
  const counts = data.nonzero && decode(data.nonzero);
  if (counts) updates.push(({ at }) => table.set("held", String(counts[at.k]), counts[at.k]));
  if (intercept) {
    updates.push(({ at }) => {
      const value = path.value(path.columns[own], at);
      table.set("constant", short(value), value);
    });
  }
  if (portfolio) updates.push(frontierPanel(path, own, table, data));
  if (data.kind === "signal") updates.push(signalPanel(path, data));
  const title = { portfolio: "Weights", signal: "Fitted values", control: "Inputs" }[data.kind] ?? "Coefficients";
  updates.push(...weightPanels(path, data.names.slice(0, own), path.columns, title, data.axis));
  if (data.kind === "control") {
    updates.push(horizonPanel(data.names, extent(...path.columns), (at) => path.columns.map((column) => path.value(column, at))));
  }
  if (data.nonzero && data.kind === "coefficients") updates.push(supportPanel(path, data));
  return updates;
}

/** The inputs at the cursor over the steps of the horizon; a name is u[step] or u1[step]. */
function horizonPanel(names, range, inputs) {
  const groups = new Map();
  names.forEach((name, place) => {
    const [input, step] = name.split("[");
    if (!groups.has(input)) groups.set(input, []);
    groups.get(input).push({ place, step: parseInt(step, 10) });
  });
  const steps = Math.max(...[...groups.values()].map((list) => list.length));
  const card = panel("Inputs over the horizon, at the cursor", true);
  const chart = new Chart(card, {
    x: linear([0, steps]), y: linear(roomy(range)), xName: "step", yName: "input", ratio: 0.45,
    description: "The planned inputs from the state at the cursor, step by step.",
    fixed(c) { if (c.y.low < 0 && c.y.high > 0) c.guide(0, 0, steps, 0); },
    moving(c, { at }) {
      const all = inputs(at);
      [...groups.values()].forEach((list, g) => {
        const values = list.map(({ place }) => all[place]);
        c.mark(`input${g}`, { d: c.path(list.flatMap(({ step }) => [step, step + 1]), values.flatMap((v) => [v, v])), stroke: PALETTE[g % PALETTE.length], "stroke-width": 2.5 });
      });
    },
  });
  legend(card, [...groups.keys()].map((name, g) => [name, PALETTE[g % PALETTE.length]]));
  return (state) => chart.update(state);
}

/** How many coefficients are not zero, piece by piece: counted by pathqp, as rounded numbers do not tell. */
function supportPanel(path, data) {
  const counts = decode(data.nonzero), xs = [], ys = [];
  for (let k = 0; k < path.pieces; k++) {
    xs.push(path.values[k], path.values[k + 1]);
    ys.push(counts[k], counts[k]);
  }
  const card = panel("Non-zero coefficients", true);
  const chart = new Chart(card, {
    x: path.scale, y: linear([0, Math.max(...ys, 1) * 1.06]), xName: symbol(data.parameter), yName: "non-zero coefficients", ratio: 0.4,
    description: "The number of non-zero coefficients on every piece of the path.",
    fixed(c) { c.curve(xs, ys, "var(--plus)", 2); },
    moving(c, { at }) { c.cursor(at.v); },
  });
  return (state) => chart.update(state);
}

/** Return against risk. The return is affine and the variance a parabola on every piece. */
function frontierPanel(path, own, table, data) {
  const STEPS = 8;
  const [mean, variance] = [path.columns[own], path.columns[own + 1]];
  const along = { start: variance, middle: decode(data.middle), last: variance[path.pieces] };
  const risk = (at) => Math.sqrt(Math.max(path.parabola(along, at), 0));
  const xs = [], ys = [];
  for (let k = 0; k < path.pieces; k++) {
    for (let s = 0; s <= STEPS; s++) {
      const at = { k, share: s / STEPS };
      xs.push(risk(at));
      ys.push(path.value(mean, at));
    }
  }
  const card = panel("Efficient frontier", true);
  const chart = new Chart(card, {
    x: linear(roomy([0, extent(xs)[1]])), y: linear(roomy(extent(ys))), xName: "risk (standard deviation)", yName: "return", left: 64, ratio: 0.5,
    description: "Every efficient portfolio by its risk and return, and the one at the cursor.",
    fixed(c) { c.curve(xs, ys, "var(--plus)", 2); },
    moving(c, { at }) {
      const [r, m] = [risk(at), path.value(mean, at)];
      c.mark("dot", { d: c.dots([r], [m]), stroke: "var(--accent)", "stroke-width": 11 });
      table.set("return", short(m), m);
      table.set("risk", short(r), r);
    },
  });
  return (state) => chart.update(state);
}

function signalPanel(path, data) {
  const card = panel("Signal and fit", true);
  const observed = decode(data.observed), xs = Array.from(decode(data.places));
  const chart = new Chart(card, {
    x: linear(extent(xs)), y: linear(roomy(extent(observed))), xName: "place", yName: "value", ratio: 0.5,
    description: "The signal as dots, and the fitted signal at the cursor.",
    fixed(c) { c.below.append(svg("path", { d: c.dots(xs, observed), stroke: "var(--quiet)", "stroke-width": 4, "stroke-linecap": "round" })); },
    moving(c, { at }) { c.mark("fit", { d: c.path(xs, path.columns.map((column) => path.value(column, at))), stroke: "var(--accent)", "stroke-width": 2.5 }); },
  });
  if (xs.length < data.of) note(card, `${xs.length} of ${data.of} values, evenly chosen.`);
  return (state) => chart.update(state);
}
