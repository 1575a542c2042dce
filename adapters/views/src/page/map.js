// The page of a map: the critical regions, a cursor in the plane, and the panels that follow it.

/** The regions with their laws. */
class RegionMap {
  constructor(data) {
    this.data = data;
    const r = data.regions;
    this.id = decode(r.id);
    this.count = this.id.length;
    this.counts = { lower: decode(r.lower), upper: decode(r.upper), free: decode(r.free) };
    this.notUnique = decode(r.not_unique);
    this.kkt = decode(r.kkt);
    this.gap = decode(r.gap);
    this.anchor = r.anchor.map(decode);
    this.quadratic = r.objective.map(decode);
    this.laws = data.laws.map((law) => law.map(decode));
    this.freeRows = decode(data.free);
    this.duals = decode(data.duals);
    readRows(this, data, data);
    if (data.parameters[0] === "tau") this.levels = LEVELS.filter((tau) => tau >= data.view[0][0] && tau <= data.view[0][1]);
    this.readPolygons(decode(r.corners), decode(r.points));
  }

  /** The polygons, the boxes around them, and where the free rows of each begin. */
  readPolygons(corners, points) {
    this.polygons = [];
    this.boxes = new Float64Array(4 * this.count);
    this.firstFree = new Uint32Array(this.count + 1);
    for (let r = 0, p = 0; r < this.count; r++) {
      const polygon = points.subarray(2 * p, 2 * (p + corners[r]));
      p += corners[r];
      this.polygons.push(polygon);
      const [x, y] = [0, 1].map((a) => extent(polygon.filter((_, k) => k % 2 === a)));
      this.boxes.set([x[0], x[1], y[0], y[1]], 4 * r);
      this.firstFree[r + 1] = this.firstFree[r] + this.counts.free[r];
    }
  }

  /** How far inside a convex polygon a point lies, by the side that is nearest; negative outside. */
  depth(polygon, [x, y]) {
    const n = polygon.length / 2;
    let least = Infinity, most = -Infinity;
    for (let k = 0; k < n; k++) {
      const [x0, y0] = [polygon[2 * k], polygon[2 * k + 1]];
      const [x1, y1] = [polygon[2 * ((k + 1) % n)], polygon[2 * ((k + 1) % n) + 1]];
      const [dx, dy] = [(x1 - x0) / this.size[0], (y1 - y0) / this.size[1]];
      const length = Math.hypot(dx, dy);
      if (length < 1e-12) continue;
      const side = (dx * (y - y0) / this.size[1] - dy * (x - x0) / this.size[0]) / length;
      least = Math.min(least, side);
      most = Math.max(most, side);
    }
    return Math.max(least, -most);
  }

  get size() {
    return this.data.view.map(([from, to]) => to - from);
  }

  /** The region that holds a point; −1 in a hole. On a border it is the one that holds more of it. */
  at(theta) {
    const NEAR = 1e-7, [x, y] = theta, [w, h] = this.size, b = this.boxes;
    let region = -1, best = -NEAR;
    for (let r = 0; r < this.count; r++) {
      const k = 4 * r;
      if (x < b[k] - NEAR * w || x > b[k + 1] + NEAR * w || y < b[k + 2] - NEAR * h || y > b[k + 3] + NEAR * h) continue;
      const depth = this.depth(this.polygons[r], theta);
      if (depth > best) [region, best] = [r, depth];
    }
    return { theta, region };
  }

  offset({ theta, region }) {
    return [theta[0] - this.anchor[0][region], theta[1] - this.anchor[1][region]];
  }

  value([v, g, h], { theta, region }, [dx, dy]) {
    const value = v[region] + g[region] * dx + h[region] * dy;
    return this.data.divide === null ? value : value / theta[this.data.divide];
  }

  weights(at) {
    const offset = this.offset(at);
    return this.laws.map((law) => this.value(law, at, offset));
  }

  evaluate(at, target = this.f) {
    const values = this.weights(at);
    if (this.features) return products(values, this.features, target);
    target.set(values);
    return target;
  }

  objective(at) {
    const [dx, dy] = this.offset(at), [o, a, b, aa, ab, bb] = this.quadratic.map((column) => column[at.region]);
    const value = o + a * dx + b * dy + aa * dx * dx + ab * dx * dy + bb * dy * dy;
    return this.data.divide === null ? value : value / at.theta[this.data.divide];
  }

  free(at) {
    const [dx, dy] = this.offset(at), found = [];
    for (let p = this.firstFree[at.region]; p < this.firstFree[at.region + 1]; p++) {
      const [v, g, h] = this.duals ? this.duals.subarray(3 * p, 3 * p + 3) : [NaN, NaN, NaN];
      found.push({ row: this.freeRows[p], alpha: v + g * dx + h * dy });
    }
    return found.sort((a, b) => a.row - b.row);
  }

  /** Places in an even selection of the regions. */
  sample() {
    const shown = Math.min(this.count, 80);
    return Array.from({ length: shown }, (_, k) => Math.floor((k * this.count) / shown))
      .map((region) => ({ region, theta: [this.anchor[0][region], this.anchor[1][region]] }));
  }
}

/** From low to high: dark blue to yellow. */
function ramp(s) {
  const stops = [[53, 42, 110], [45, 105, 142], [38, 158, 136], [122, 200, 88], [250, 228, 60]];
  const place = clamp(s, 0, 1) * (stops.length - 1), k = Math.min(Math.floor(place), stops.length - 2);
  return `rgb(${stops[k].map((v, c) => Math.round(v + (stops[k + 1][c] - v) * (place - k))).join(",")})`;
}

function startMap(data) {
  const map = new RegionMap(data);
  data.kind = data.problem;
  data.free = { label: data.label, shown: 1, ever: 1 };
  const names = data.parameters.map(symbol);
  let now = data.view.map(([from, to]) => from + 0.37 * (to - from)), waiting = false;
  const inputs = data.parameters.map((name, a) => el("input", { type: "number", id: name, step: "any", min: data.view[a][0], max: data.view[a][1] }));
  const where = el("div", { class: "where", id: "where" });
  document.getElementById("control").append(el("div", { class: "inner" },
    ...inputs.map((input, a) => el("label", { for: data.parameters[a] }, names[a], input)), where));
  const set = (theta) => {
    now = theta.map((v, a) => clamp(Number.isFinite(v) ? v : now[a], data.view[a][0], data.view[a][1]));
    draw();
  };
  const soon = (theta) => {
    now = theta.map((v, a) => clamp(v, data.view[a][0], data.view[a][1]));
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  const panels = [regionsPanel(map, data, names, set, soon), ...mapPanels(map, data, names)];
  function draw() {
    const at = map.at(now);
    const point = names.map((name, a) => `${name} = ${short(now[a])}`).join(", ");
    const inside = at.region >= 0;
    const text = inside ? `${point}: region ${map.id[at.region]}, ${map.counts.free[at.region]} free` : `${point}: no region here`;
    where.textContent = text;
    document.getElementById("regions").setAttribute("aria-label", `Map of critical regions. ${text}. Arrow keys move the cursor.`);
    inputs.forEach((input, a) => { if (document.activeElement !== input) input.value = Number(now[a].toPrecision(7)); });
    say(text);
    const state = { at };
    if (inside && data.kind !== "control") Object.assign(state, { f: map.evaluate(at), free: map.free(at) });
    panels.forEach((update, k) => { if (inside || k === 0) update(state); });
  }
  inputs.forEach((input, a) => input.addEventListener("change", () => set(now.map((v, b) => (a === b ? parseFloat(input.value) : v)))));
  const fromAddress = () => set(data.parameters.map((name, a) => parseFloat(asked().get(name) ?? now[a])));
  window.addEventListener("hashchange", fromAddress);
  window.pathqp = { set, get: () => now, view: data.view, regions: map.count };
  fromAddress();
}

/** The regions, coloured by their number of free variables, and the cursor. */
function regionsPanel(map, data, names, set, soon) {
  const card = panel("Critical regions", true);
  const [low, high] = extent(map.counts.free), colour = (count) => ramp(high > low ? (count - low) / (high - low) : 0.5);
  const outline = (c, polygon) => {
    let text = "";
    for (let k = 0; k < polygon.length; k += 2) text += `${k ? "L" : "M"}${c.X(polygon[k]).toFixed(2)},${c.Y(polygon[k + 1]).toFixed(2)}`;
    return `${text}Z`;
  };
  const chart = new Chart(card, {
    x: linear(data.view[0]), y: linear(data.view[1]), xName: names[0], yName: names[1], ratio: 0.62,
    description: "On each region the solution is affine in both parameters. The cross is the cursor.",
    fixed(c) {
      const byCount = new Map();
      map.polygons.forEach((polygon, r) => byCount.set(map.counts.free[r], (byCount.get(map.counts.free[r]) ?? "") + outline(c, polygon)));
      for (const [count, d] of byCount) {
        const path = svg("path", { d, stroke: "var(--card)", "stroke-width": map.count > 800 ? 0.3 : 0.7 });
        path.style.fill = colour(count);
        c.below.append(path);
      }
    },
    moving(c, { at }) {
      c.mark("region", { d: at.region < 0 ? "" : outline(c, map.polygons[at.region]), stroke: "var(--accent)", "stroke-width": 2.5 });
      const [x, y] = [c.X(at.theta[0]).toFixed(1), c.Y(at.theta[1]).toFixed(1)];
      c.mark("halo", { d: `M${x},${c.top}V${c.height - c.bottom}M${c.left},${y}H${c.width - c.right}`, stroke: "var(--card)", "stroke-width": 3, opacity: 0.6 });
      c.mark("cross", { d: `M${x},${c.top}V${c.height - c.bottom}M${c.left},${y}H${c.width - c.right}`, class: "cursor" });
    },
  });
  const counts = [...new Set(map.counts.free)].sort((a, b) => a - b);
  const shown = counts.length <= 12 ? counts : [0, 0.25, 0.5, 0.75, 1].map((s) => Math.round(low + s * (high - low)));
  legend(card, shown.map((count) => [`${count} free`, colour(count), true]));
  note(card, `${map.count} regions. Click or drag, or use the arrow keys: a step is a hundredth of the range, with Shift a tenth, with Ctrl a thousandth.`);
  const root = chart.root;
  Object.entries({ id: "regions", tabindex: 0, role: "application", "aria-roledescription": "map with a cursor" }).forEach(([k, v]) => root.setAttribute(k, v));
  root.style.cursor = "crosshair";
  root.style.touchAction = "none";
  const point = (event) => {
    const box = root.getBoundingClientRect();
    const across = (event.clientX - box.left - chart.left) / (box.width - chart.left - chart.right);
    const up = (box.bottom - event.clientY - chart.bottom) / (box.height - chart.top - chart.bottom);
    return [chart.x.from(clamp(across, 0, 1)), chart.y.from(clamp(up, 0, 1))];
  };
  root.addEventListener("pointerdown", (event) => { root.setPointerCapture(event.pointerId); soon(point(event)); });
  root.addEventListener("pointermove", (event) => { if (event.buttons) soon(point(event)); });
  const keys = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] };
  root.addEventListener("keydown", (event) => {
    const move = keys[event.key];
    if (!move) return;
    event.preventDefault();
    const part = event.shiftKey ? 0.1 : event.ctrlKey ? 0.001 : 0.01;
    set(window.pathqp.get().map((v, a) => (a === move[0] ? v + move[1] * part * map.size[a] : v)));
  });
  return (state) => chart.update(state);
}

function mapPanels(map, data, names) {
  const card = panel("Solution at the cursor");
  const classifier = data.kind === "classifier", control = data.kind === "control";
  const table = new Table(card, [["value", names.join(", ")], ["region", "region"], ...(control ? [] : [["objective", "objective"]]),
    ...(map.names && !control ? [["constant", "constant of f"]] : []),
    ...(classifier ? [["tpr", "true positives, rows shown"], ["fpr", "false positives, rows shown"]] : []),
    ["lower", "at lower bounds"], ["upper", "at upper bounds"], ["free", "free"], ["unique", "solution"], ["kkt", "KKT residual"], ["gap", "relative gap"]]);
  table.cells.value.className = "big";
  note(card, "The certificate was computed from the data at the centre of the region; in the region the solution is affine.");
  const updates = [({ at, f }) => {
    const r = at.region, objective = map.objective(at);
    table.set("value", at.theta.map((v) => short(v)).join(", "));
    table.set("region", String(map.id[r]), map.id[r]);
    table.set("objective", short(objective, 7), objective);
    for (const name of ["lower", "upper", "free"]) table.set(name, String(map.counts[name][r]), map.counts[name][r]);
    table.set("unique", map.notUnique[r] ? "not unique here" : "unique");
    table.set("kkt", residual(map.kkt[r]), map.kkt[r]);
    table.set("gap", residual(map.gap[r]), map.gap[r]);
    if (map.names && !control) {
      const constant = map.weights(at).at(-1);
      table.set("constant", short(constant), constant);
    }
    if (classifier) {
      const { y } = map.train, values = part(f, map.train), count = [0, 0], hits = [0, 0];
      y.forEach((sign, k) => {
        count[sign > 0 ? 1 : 0]++;
        hits[sign > 0 ? 1 : 0] += values[k] > 0;
      });
      table.set("tpr", short(hits[1] / count[1], 4), hits[1] / count[1]);
      table.set("fpr", short(hits[0] / count[0], 4), hits[0] / count[0]);
    }
  }];
  if (control) return [...updates, ...controlPanels(map)];
  if (classifier) updates.push(decisionPanel(map, data.classes));
  else updates.push(map.grid ? curvePanel(map, data) : fittedPanel(map, data));
  if (map.names) {
    const MOST_BARS = 15;
    const sampled = map.sample().map((at) => map.weights(at));
    const { order, size } = largest(map.names.map((_, j) => sampled.map((w) => w[j])), MOST_BARS);
    const bars = new Bars(panel("Weights at the cursor"), order.length < map.names.length ? `the ${order.length} largest` : "all of them", order.map((j) => map.names[j]), size[order[0]] ?? 1);
    updates.push(({ at }) => { const w = map.weights(at); bars.update(order.map((j) => w[j])); });
  }
  updates.push(freePanel(map, data));
  return updates;
}

/** The inputs of a controller at the cursor. */
function controlPanels(map) {
  const MOST_BARS = 40;
  const shown = map.names.slice(0, MOST_BARS);
  const range = extent(...map.sample().map((at) => map.weights(at)));
  const bars = new Bars(panel("Inputs at the cursor"), "in the order of the steps", shown, Math.max(...range.map(Math.abs)));
  const horizon = horizonPanel(map.names, range, (at) => map.weights(at));
  return [({ at }) => bars.update(map.weights(at).slice(0, shown.length)), horizon];
}
