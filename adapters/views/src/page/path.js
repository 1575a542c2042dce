// The page of a path: the slider, and the panels that follow it.

const SLIDER_STEPS = 10000;

function startPath(data) {
  const kinds = { classifier: 1, quantile: 1, tube: 1, outliers: 1 };
  const path = kinds[data.kind] ? new FunctionPath(data) : new Path(data);
  const panels = kinds[data.kind] ? functionPanels(path, data) : tablePanels(path, data);
  const show = (v) => {
    const at = path.at(v);
    const state = { at };
    if (kinds[data.kind]) {
      state.f = path.evaluate(at);
      state.free = path.free(at);
    }
    panels.forEach((update) => update(state));
    return at;
  };
  control(path, data, show);
}

/** The slider, the number, the steps to the neighbouring breakpoints, and the address. */
function control(path, data, show) {
  const name = symbol(data.parameter), low = path.values[0], high = path.values[path.pieces];
  const range = el("input", { type: "range", id: "slider", min: 0, max: SLIDER_STEPS, step: 1, "aria-label": `${name}, the parameter of the path` });
  const number = el("input", { type: "number", id: "number", step: "any", min: low, max: high });
  const word = () => el("span", { class: "word" }, " breakpoint ");
  const back = el("button", { type: "button", id: "back", title: "Key: comma", "aria-label": "breakpoint before" }, "◀", word());
  const on = el("button", { type: "button", id: "on", title: "Key: full stop", "aria-label": "next breakpoint" }, word(), "▶");
  const where = el("div", { class: "where", id: "where" });
  document.getElementById("control").append(el("div", { class: "inner" },
    el("label", { for: "number" }, name, number), el("div", { class: "slide" }, range), back, on, where));
  let now = low, waiting = false;

  const draw = () => {
    const at = show(now);
    const text = `${name} = ${short(now)}: piece ${at.k + 1} of ${path.pieces}, from ${short(at.from)} to ${short(at.to)}`;
    where.textContent = text + (path.scale.curved ? "; the scale of the slider is logarithmic" : "");
    range.setAttribute("aria-valuetext", `${name} = ${short(now)}, piece ${at.k + 1} of ${path.pieces}`);
    range.value = Math.round(path.scale.to(now) * SLIDER_STEPS);
    if (document.activeElement !== number) number.value = Number(now.toPrecision(7));
    say(text);
  };
  const set = (v) => {
    now = clamp(Number.isFinite(v) ? v : now, low, high);
    draw();
  };
  /** At most one drawing a frame, however fast the slider moves. */
  const soon = (v) => {
    now = clamp(v, low, high);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  const step = (direction) => {
    const k = place(path.values, now);
    let next = direction > 0 ? k + 1 : path.values[k] < now ? k : k - 1;
    // Where the solution jumps a value is there twice.
    while (direction < 0 && next > 0 && path.values[next] === now) next -= 1;
    set(path.values[clamp(next, 0, path.pieces)]);
  };
  range.addEventListener("input", () => soon(path.scale.from(range.value / SLIDER_STEPS)));
  number.addEventListener("change", () => set(parseFloat(number.value)));
  back.addEventListener("click", () => step(-1));
  on.addEventListener("click", () => step(1));
  document.addEventListener("keydown", (event) => {
    if (event.target === number || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === ",") step(-1);
    if (event.key === ".") step(1);
  });
  const fromAddress = (otherwise) => {
    const v = parseFloat(asked().get(data.parameter) ?? asked().get(name));
    set(Number.isFinite(v) ? v : otherwise);
  };
  range.addEventListener("change", () => history.replaceState(null, "", `#${data.parameter}=${Number(now.toPrecision(7))}`));
  window.addEventListener("hashchange", () => fromAddress(now));
  // For scripts and tests: the value of the parameter, and setting it at once.
  window.pathqp = { set, get: () => now, low, high, pieces: path.pieces, values: path.values };
  fromAddress(path.values[path.pieces >> 1]);
}

/** The certificate that is nearest to the cursor, in words. */
function certificateText(path, along, at) {
  const { where, value } = path.nearest(along, at);
  return [`${residual(value)} at ${short(where)}`, value];
}

function solutionPanel(path, data, keys) {
  const card = panel("Solution at the cursor");
  const table = new Table(card, [["value", symbol(data.parameter)], ...keys, ["lower", "at lower bounds"], ["upper", "at upper bounds"],
    ["free", "free"], ["kkt", "KKT residual"], ["gap", "relative gap"], ["largest", "largest KKT residual"]]);
  table.cells.value.className = "big";
  const { largest, points, tolerance } = data.certificate;
  table.set("largest", `${residual(largest ?? Infinity)} at ${points} points`, largest ?? Infinity);
  note(card, `The certificate was computed from the data at both ends and in the middle of every piece; it passes up to ${tolerance.toExponential(0).replace("-", MINUS)}. Between these points the solution is affine.`);
  return [table, (state) => {
    const { at } = state;
    table.set("value", short(at.v, 7), at.v);
    for (const name of ["lower", "upper", "free"]) table.set(name, String(path.counts[name][at.k]), path.counts[name][at.k]);
    table.set("kkt", ...certificateText(path, path.kkt, at));
    table.set("gap", ...certificateText(path, path.gap, at));
  }];
}

function functionPanels(path, data) {
  const keys = [["objective", "objective"]];
  if (path.names) keys.push(["constant", "constant of f"]);
  const rated = path.rates.map((_, k) => ["training", "test"][k]);
  for (const name of rated) keys.push([`tpr-${name}`, `true positives, ${name}`], [`fpr-${name}`, `false positives, ${name}`], [`accuracy-${name}`, `accuracy, ${name}`]);
  const outside = data.kind === "tube" ? "|y − f| > ε" : data.kind === "quantile" ? "y ≤ f" : "f < 0";
  const shares = data.kind === "classifier" || !path.valued ? [] : [["training", path.train], ...(path.test ? [["test", path.test]] : [])];
  // f has seven digits of the largest one: free rows, on the curve, are told by it no better.
  const rounding = 1e-6 * Math.max(...(path.valued ? sampleRange(path) : []).map(Math.abs), ...shares.flatMap(([, rows]) => extent(rows.y).map(Math.abs)));
  for (const [name, rows] of shares) keys.push([`share-${name}`, `share with ${outside}, ${name}${rows.index.length < rows.of ? " (shown)" : ""}`]);
  const [table, solution] = solutionPanel(path, data, keys);
  const d = path.columns.length - 1;
  const size = Math.max(...path.sample().map((at) => Math.abs(path.objectiveAt(at))).filter(Number.isFinite));
  const updates = [(state) => {
    const { at, f } = state;
    solution(state);
    const objective = tidy(path.objectiveAt(at), size);
    table.set("objective", short(objective, 7), objective);
    if (path.names) {
      const constant = path.value(path.columns[d], at);
      table.set("constant", short(constant), constant);
    }
    rated.forEach((name, k) => {
      for (const [key, value] of Object.entries(path.rate(k, at.v))) table.set(`${key}-${name}`, short(value, 4), value);
    });
    for (const [name, rows] of shares) {
      const values = part(f, rows), y = rows.y, e = tubeAt(data, at);
      const counts = data.kind === "tube" ? (v, k) => Math.abs(y[k] - v) > e + rounding
        : data.kind === "quantile" ? (v, k) => y[k] <= v + rounding : (v) => v < -rounding;
      let count = 0;
      for (let k = 0; k < values.length; k++) count += counts(values[k], k);
      table.set(`share-${name}`, short(count / values.length, 4), count / values.length);
    }
  }];
  if (data.kind === "classifier") updates.push(decisionPanel(path, data.classes), rocPanel(path));
  else if (data.kind === "outliers") updates.push(outlierPanel(path));
  else updates.push(path.grid ? curvePanel(path, data) : fittedPanel(path, data));
  if (path.names) updates.push(...weightPanels(path, path.names, path.columns, "Weights", "w"));
  updates.push(dualPanel(path, data), freePanel(path, data));
  return updates;
}

/** Weights along the path, and bars at the cursor. */
function weightPanels(path, names, columns, title, yName) {
  const MOST_CURVES = 40, MOST_BARS = 15;
  const weights = columns.slice(0, names.length);
  const nodes = weights.map((column) => nodesOf(path, column));
  const { order, size } = largest(nodes.map((n) => n.ys), MOST_CURVES);
  const curves = order.map((j) => ({ name: names[j], ...nodes[j] }));
  const more = order.length < names.length ? `The ${order.length} largest of ${names.length}.` : "";
  const wide = curvesPanel(path, { title: `${title} along the path`, yName, curves, more });
  const bars = order.slice(0, MOST_BARS);
  const card = panel(`${title} at the cursor`);
  const caption = bars.length < names.length ? `the ${bars.length} that are largest somewhere on the path` : "all of them";
  const list = new Bars(card, caption, bars.map((j) => names[j]), size[order[0]] ?? 1);
  return [wide, ({ at }) => list.update(bars.map((j) => path.value(weights[j], at)))];
}

/**
 * Dual variables of the rows that are free longest. Between two runs a row is at a bound, which is affine in the parameter: a straight line
 * from one run to the next.
 */
function dualPanel(path, data) {
  const MOST_CURVES = 10;
  const { runs } = path, byRow = new Map();
  for (let r = 0; r < runs.row.length; r++) {
    if (!byRow.has(runs.row[r])) byRow.set(runs.row[r], { pieces: 0, runs: [] });
    const entry = byRow.get(runs.row[r]);
    entry.pieces += path.values[runs.first[r] + runs.length[r]] - path.values[runs.first[r]];
    entry.runs.push(r);
  }
  const chosen = [...byRow].sort((a, b) => b[1].pieces - a[1].pieces).slice(0, MOST_CURVES);
  const curves = chosen.map(([row, entry]) => {
    const xs = [], ys = [];
    for (const r of entry.runs) {
      for (let k = 0; k <= runs.length[r]; k++) {
        xs.push(path.values[runs.first[r] + k]);
        ys.push(runs.values[runs.offset[r] + k]);
      }
    }
    return { name: `row ${row + 1}`, xs, ys };
  });
  const more = `${curves.length} of ${data.free.ever} rows that are free somewhere on the path: those that are free over the longest ranges of the parameter, each drawn from the first to the last of these.`;
  return curvesPanel(path, { title: "Dual variables along the path", yName: data.free.label, curves, more });
}
