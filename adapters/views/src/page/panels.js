// The panels of each kind of problem. Each returns what is to be done when the cursor moves.

/** The sorted decision values of both classes, against the share of the class below. */
function decisionPanel(path, classes) {
  const card = panel("Decision values");
  const groups = [];
  for (const [rows, dim] of [[path.train, false], [path.test, true]]) {
    for (const sign of rows ? [1, -1] : []) {
      const members = [...rows.index.keys()].filter((k) => Math.sign(rows.y[k]) === sign);
      groups.push({ members, first: rows.first, sign, dim, key: `${dim}${sign}`, values: new Float64Array(members.length) });
    }
  }
  const chart = new Chart(card, {
    x: linear([0, 1]), y: linear(roomy(sampleRange(path))), xName: "share of the class with smaller f", yName: "f(x)",
    description: "Decision values of the rows of both classes, sorted. Rows above zero are classified as +1; rows between the dashed lines at 1 and −1 lie within the margin. The chart follows the parameter.",
    fixed(c) {
      for (const v of [-1, 0, 1]) if (v >= c.y.low && v <= c.y.high) c.guide(0, v, 1, v);
    },
    moving(c, { f }) {
      for (const { members, first, sign, dim, key, values } of groups) {
        members.forEach((k, j) => { values[j] = clamp(f[first + k], c.y.low, c.y.high); });
        values.sort();
        const shares = Array.from(values, (_, j) => (j + 0.5) / values.length);
        c.mark(key, { d: c.dots(shares, values), stroke: sign > 0 ? "var(--plus)" : "var(--minus)", "stroke-width": dim ? 2.5 : 4.5, opacity: dim ? 0.6 : 0.9 });
      }
    },
  });
  const names = [[`+1, label ${classes[1]}`, "var(--plus)", true], [`${MINUS}1, label ${classes[0]}`, "var(--minus)", true]];
  legend(card, names);
  note(card, `${selection(path.train, "training")}${path.test ? `; ${selection(path.test, "test")}, as small dots` : ""}.`);
  return (state) => chart.update(state);
}

/** What is shown of a file, in words. */
function selection(rows, name) {
  const shown = rows.index.length;
  return shown < rows.of ? `${shown} of ${rows.of} ${name} rows, evenly chosen` : `all ${shown} ${name} rows`;
}

/** The range of f over a sample of places. */
function sampleRange(path) {
  const f = new Float64Array(path.total);
  return extent(...path.sample().map((at) => extent(path.evaluate(at, f)).filter(Number.isFinite)));
}

function rocPanel(path) {
  const card = panel("ROC curve along the path");
  const colours = ["var(--fit)", "var(--quiet)"];
  const chart = new Chart(card, {
    x: linear([0, 1]), y: linear([0, 1]), ratio: 0.85, xName: "false positive rate", yName: "true positive rate",
    description: "Rates of all rows for every value of the parameter, exact; the large dots are those at the cursor.",
    fixed(c) {
      c.guide(0, 0, 1, 1);
      path.rates.forEach((r, k) => c.curve(Array.from(r.alarms, (v) => v / r.negatives), Array.from(r.hits, (v) => v / r.positives), colours[k], 2));
    },
    moving(c, { at }) {
      path.rates.forEach((_, k) => {
        const { fpr, tpr } = path.rate(k, at.v);
        c.mark(`dot${k}`, { d: c.dots([fpr], [tpr]), stroke: k ? colours[1] : "var(--accent)", "stroke-width": 11 });
      });
    },
  });
  legend(card, path.rates.map((_, k) => [["training rows", "test rows"][k], colours[k]]));
  return (state) => chart.update(state);
}

/** Curves over the only feature: the one at the cursor, and others along the path. */
function curvePanel(path, data) {
  const fan = data.kind === "quantile" && path.levels !== undefined;
  const card = panel(data.kind === "tube" ? "Fit and tube" : fan ? "Quantile curves" : "Quantile curve", true);
  const { grid } = path, levels = fan ? path.levels : [];
  const other = (at) => path.evaluate(at, new Float64Array(path.total)).subarray(grid.first);
  // On a path they stay, on a map they move with the other parameter.
  const others = path.pieces ? levels.map((tau) => other(path.at(tau))) : [];
  const ys = [path.train.y, ...(path.test ? [path.test.y] : [])];
  const chart = new Chart(card, {
    x: linear(extent(grid.x)), y: linear(roomy(extent(...ys, ...others))), xName: grid.name, yName: "response", ratio: 0.55,
    description: "The rows, and the curve at the cursor of the parameter.",
    fixed(c) {
      others.forEach((f) => c.curve(grid.x, f, "var(--quiet)", 1.2, 0.75));
      c.below.append(svg("path", { d: c.dots(path.train.x, path.train.y), stroke: "var(--plus)", "stroke-width": 5, "stroke-linecap": "round", opacity: 0.55 }));
      if (path.test) c.below.append(svg("path", { d: c.dots(path.test.x, path.test.y), stroke: "var(--minus)", "stroke-width": 5, "stroke-linecap": "round", opacity: 0.55 }));
    },
    moving(c, { at, f, free }) {
      const values = f.subarray(grid.first);
      if (fan && !path.pieces) {
        const fans = levels.map((tau) => path.at([tau, at.theta[1]])).filter((place) => place.region >= 0);
        c.mark("fan", { d: fans.map((place) => c.path(grid.x, other(place))).join(""), stroke: "var(--quiet)", "stroke-width": 1.2, opacity: 0.75 });
      }
      if (data.kind === "tube") {
        const e = tubeAt(data, at);
        [-e, e].forEach((shift, k) => c.mark(`tube${k}`, { d: c.path(grid.x, values.map((v) => v + shift)), stroke: "var(--accent)", "stroke-width": 1.3, "stroke-dasharray": "5 4" }));
      }
      c.mark("curve", { d: c.path(grid.x, values), stroke: "var(--accent)", "stroke-width": 3 });
      const on = free.map(({ row }) => path.shown.get(row)).filter((k) => k !== undefined);
      c.mark("free", { d: c.dots(on.map((k) => path.train.x[k]), on.map((k) => path.train.y[k])), stroke: "var(--fit)", "stroke-width": 7 });
    },
  });
  legend(card, [["at the cursor", "var(--accent)"], ...(fan ? [[`τ = ${levels.join(", ")}`, "var(--quiet)"]] : []),
    ["training rows", "var(--plus)", true], ["free rows", "var(--fit)", true], ...(path.test ? [["test rows", "var(--minus)", true]] : [])]);
  note(card, `${selection(path.train, "training")}; the curve has ${grid.x.length} points.`);
  return (state) => chart.update(state);
}

/** The half-width of the tube. */
const tubeAt = (data, at) => (at.theta ? at.theta[1] : data.parameter === "epsilon" ? at.v : data.tube);

/** Fitted values against the response. */
function fittedPanel(path, data) {
  const card = panel("Fitted values and responses", true);
  const range = roomy(extent(path.train.y, sampleRange(path)));
  const groups = [["train", path.train, "var(--plus)"], ["test", path.test, "var(--minus)"]].filter((g) => g[1]);
  const chart = new Chart(card, {
    x: linear(range), y: linear(range), ratio: 0.55, xName: "f(x) at the cursor", yName: "response",
    description: "Every row by its fitted value and its response; rows above the diagonal have a larger response than the fitted value.",
    fixed(c) { c.guide(range[0], range[0], range[1], range[1]); },
    moving(c, { at, f }) {
      for (const [key, rows, colour] of groups) c.mark(key, { d: c.dots(part(f, rows), rows.y), stroke: colour, "stroke-width": 5, opacity: 0.7 });
      if (data.kind === "tube") {
        const e = tubeAt(data, at), ends = [range[0], range[1]];
        [-e, e].forEach((shift, k) => c.mark(`tube${k}`, { d: c.path(ends, ends.map((v) => v + shift)), stroke: "var(--accent)", "stroke-width": 1.3, "stroke-dasharray": "5 4" }));
      }
    },
  });
  legend(card, groups.map(([key, , colour]) => [key === "train" ? "training rows" : "test rows", colour, true]));
  note(card, `${selection(path.train, "training")}.`);
  return (state) => chart.update(state);
}

/** Sorted values of f, of a one-class SVM. */
function outlierPanel(path) {
  const card = panel("Values of f, sorted", true);
  const values = new Float64Array(path.train.index.length);
  const shares = Array.from(values, (_, j) => (j + 0.5) / values.length);
  const chart = new Chart(card, {
    x: linear([0, 1]), y: linear(roomy(sampleRange(path))), xName: "share of rows with smaller f", yName: "f(x)", ratio: 0.5,
    description: "Rows below zero are outliers.",
    fixed(c) { if (c.y.low < 0 && c.y.high > 0) c.guide(0, 0, 1, 0); },
    moving(c, { f }) {
      values.set(part(f, path.train));
      values.sort();
      c.mark("dots", { d: c.dots(shares, values.map((v) => clamp(v, c.y.low, c.y.high))), stroke: "var(--plus)", "stroke-width": 4.5 });
    },
  });
  note(card, `${selection(path.train, "training")}.`);
  return (state) => chart.update(state);
}

/** Columns along the whole path, with the cursor. */
function curvesPanel(path, { title, yName, curves, more }) {
  const MOST_NAMED = 10;
  const card = panel(title, true);
  const range = roomy(extent(...curves.map((c) => extent(c.ys))));
  const chart = new Chart(card, {
    x: path.scale, y: linear(range), xName: symbol(path.data.parameter), yName, ratio: 0.5,
    description: `${curves.length} curves along the whole path, and a line at the cursor.`,
    fixed(c) {
      for (let k = curves.length - 1; k >= 0; k--) c.curve(curves[k].xs, curves[k].ys, PALETTE[k % PALETTE.length], k < MOST_NAMED ? 2 : 1, k < MOST_NAMED ? 1 : 0.55);
    },
    moving(c, { at }) { c.cursor(at.v); },
  });
  legend(card, curves.slice(0, MOST_NAMED).map((curve, k) => [curve.name, PALETTE[k % PALETTE.length]]));
  if (more) note(card, more);
  return (state) => chart.update(state);
}

/**
 * The parameter and a column, as a polyline: at the nodes, and in between where the column is divided by the parameter and so is no straight line. Points are evenly
 * spread on the scale of the axis. (What is affine bends on a curved scale only; the chart sees to that.)
 */
function nodesOf(path, column) {
  const POINTS = 240;
  const xs = [], ys = [], { scale } = path;
  const push = (k, share, v) => {
    xs.push(v);
    ys.push(path.value(column, { v, k, share }));
  };
  for (let k = 0; k < path.pieces; k++) {
    const from = path.values[k], to = path.values[k + 1], [a, b] = [scale.to(from), scale.to(to)];
    push(k, 0, from);
    const steps = path.data.divide ? Math.ceil((b - a) * POINTS) : 1;
    for (let s = 1; s < steps; s++) {
      const v = scale.from(a + ((b - a) * s) / steps);
      push(k, (v - from) / (to - from), v);
    }
    if (k + 1 === path.pieces || path.node[k + 1] !== path.node[k] + 1) push(k, 1, to);
  }
  return { xs, ys };
}

function freePanel(path, data) {
  const MOST = 60;
  const card = panel("Free rows at the cursor");
  const head = (...names) => el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name))));
  const body = el("tbody", { id: "free-rows" });
  const size = Math.max(...sampleRange(path).map(Math.abs));
  const box = el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Free rows at the cursor" },
    el("table", {}, head("row", data.free.label, "f(x)", data.kind === "outliers" ? "" : "response"), body));
  card.append(box);
  const { shown, ever } = data.free;
  const kept = shown < ever ? `; values are kept for ${shown} of the ${ever} rows that are free somewhere on the path, evenly chosen` : "";
  note(card, `Rows strictly between their bounds${kept}. ${path.valued ? "f is given for rows that are shown." : "f is kept at the points of the curve only."}`);
  const rest = note(card, "");
  return ({ f, free }) => {
    while (body.rows.length < Math.min(free.length, MOST)) body.append(el("tr", {}, el("th", { scope: "row" }), el("td"), el("td"), el("td")));
    while (body.rows.length > Math.min(free.length, MOST)) body.lastChild.remove();
    free.slice(0, MOST).forEach(({ row, alpha }, j) => {
      const cells = body.rows[j].cells, k = path.shown.get(row);
      const texts = [String(row + 1), Number.isNaN(alpha) ? "" : short(alpha), k === undefined || !path.valued ? "" : short(tidy(f[k], size)), k === undefined || data.kind === "outliers" ? "" : short(path.train.y[k])];
      texts.forEach((text, c) => { if (cells[c].textContent !== text) cells[c].textContent = text; });
    });
    rest.textContent = free.length > MOST ? `and ${free.length - MOST} more` : "";
  };
}
