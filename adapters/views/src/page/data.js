// The path: everything on it is affine in the parameter between two neighbours of `values`.

const decodeAlong = (along) => along && { start: decode(along.start), middle: decode(along.middle), last: along.last ?? Infinity };

class Path {
  constructor(data) {
    this.data = data;
    this.values = decode(data.value);
    this.pieces = this.values.length - 1;
    this.scale = warp(this.values);
    // A piece has the node of its number, and one more for every jump up to it.
    const gaps = data.gaps ? decode(data.gaps) : [];
    this.node = new Uint32Array(this.pieces);
    for (let k = 0, g = 0; k < this.pieces; k++) {
      while (g < gaps.length && gaps[g] <= k) g++;
      this.node[k] = k + g;
    }
    this.kkt = decodeAlong(data.certificate.kkt);
    this.gap = decodeAlong(data.certificate.gap);
    this.objective = data.objective && decodeAlong(data.objective.value);
    const free = data.free ?? data;
    this.counts = { lower: decode(free.lower), upper: decode(free.upper), free: decode(free.count) };
    this.columns = (data.f ? data.f.columns : data.columns).map(decode);
  }

  /** Where v lies: its piece k and its share of the way along it. */
  at(v) {
    v = clamp(v, this.values[0], this.values[this.pieces]);
    const k = clamp(place(this.values, v), 0, this.pieces - 1);
    const [from, to] = [this.values[k], this.values[k + 1]];
    return { v, k, from, to, share: to > from ? (v - from) / (to - from) : 0 };
  }

  /** A column at a place; f is divided by the parameter on some paths. */
  value(column, { v, k, share }) {
    const node = this.node[k];
    const value = column[node] + share * (column[node + 1] - column[node]);
    return this.data.divide ? value / v : value;
  }

  /** Something that was computed at the beginning, the middle and the end of every piece: at the one that is nearest. */
  nearest(along, { v, k, from, to, share }) {
    if (share < 0.25) return { where: from, value: along.start[k] };
    if (share <= 0.75) return { where: from + (to - from) / 2, value: along.middle[k] };
    return { where: to, value: k + 1 < this.pieces ? along.start[k + 1] : along.last };
  }

  /** A parabola through the beginning, the middle and the end of a piece. */
  parabola(along, { k, share: s }) {
    const [a, m, b] = [along.start[k], along.middle[k], k + 1 < this.pieces ? along.start[k + 1] : along.last];
    return a + s * (4 * m - b - 3 * a + s * 2 * (a + b - 2 * m));
  }

  objectiveAt(at) {
    return this.parabola(this.objective, at) / at.v ** this.data.objective.power;
  }
}

/** The quantiles of a fan. */
const LEVELS = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];

/** The rows that are shown and the points of the grid, one after another in f. */
function readRows(target, data, { names, features }) {
  const group = (rows, first) => rows && {
    first, of: rows.of, index: decode(rows.index), y: decode(rows.y), x: decode(rows.x),
  };
  const none = { first: 0, of: 0, index: [], y: [], x: [] };
  const train = group(data.train, 0) ?? none, test = group(data.test, train.index.length);
  const first = data.valued ? train.index.length + (test?.index.length ?? 0) : 0;
  const grid = data.grid && { first, x: decode(data.grid.x), name: data.grid.name };
  const total = first + (grid ? grid.x.length : 0);
  // The place among the training rows shown, by row.
  const shown = new Map(Array.from(train.index, (row, k) => [row, k]));
  Object.assign(target, { valued: data.valued, names, train, test, grid, total, shown, features: decode(features), f: new Float64Array(total) });
}

/** f at rows from the weights, the last of which is the constant. */
function products(w, features, target) {
  const d = w.length - 1;
  for (let i = 0, p = 0; i < target.length; i++) {
    let sum = w[d];
    for (let j = 0; j < d; j++) sum += w[j] * features[p++];
    target[i] = sum;
  }
  return target;
}

/** A path of f: its values at the rows, and its free rows. */
class FunctionPath extends Path {
  constructor(data) {
    super(data);
    readRows(this, data, data.f);
    this.runs = this.readRuns(data.free);
    const inside = (tau) => tau >= this.values[0] && tau <= this.values[this.pieces];
    if (data.parameter === "tau") this.levels = LEVELS.filter(inside);
    this.rates = data.rates.map((r) => ({ ...r, value: decode(r.value), hits: decode(r.hits), alarms: decode(r.alarms) }));
  }

  /** The runs with the pieces that each covers: for each piece, which runs are on it. */
  readRuns(free) {
    const runs = { row: decode(free.row), first: decode(free.first), length: decode(free.length), values: decode(free.values) };
    const count = runs.row.length;
    runs.offset = new Uint32Array(count);
    runs.start = new Uint32Array(this.pieces + 1);
    for (let r = 0, offset = 0; r < count; r++) {
      runs.offset[r] = offset;
      offset += runs.length[r] + 1;
      for (let k = 0; k < runs.length[r]; k++) runs.start[runs.first[r] + k + 1]++;
    }
    for (let k = 0; k < this.pieces; k++) runs.start[k + 1] += runs.start[k];
    runs.on = new Uint32Array(runs.start[this.pieces]);
    const next = runs.start.slice();
    for (let r = 0; r < count; r++) {
      for (let k = 0; k < runs.length[r]; k++) runs.on[next[runs.first[r] + k]++] = r;
    }
    return runs;
  }

  /** The free rows at a place, with their dual variables. */
  free({ k, share }) {
    const { runs } = this, found = [];
    for (let p = runs.start[k]; p < runs.start[k + 1]; p++) {
      const r = runs.on[p], at = runs.offset[r] + k - runs.first[r];
      found.push({ row: runs.row[r], alpha: runs.values[at] + share * (runs.values[at + 1] - runs.values[at]) });
    }
    return found.sort((a, b) => a.row - b.row);
  }

  /** f at all rows and at the grid, in `target`. */
  evaluate(at, target = this.f) {
    if (this.features) return products(this.columns.map((column) => this.value(column, at)), this.features, target);
    for (let i = 0; i < this.total; i++) target[i] = this.value(this.columns[i], at);
    return target;
  }

  /** Places all along the path. */
  sample() {
    return Array.from({ length: 41 }, (_, k) => this.at(this.scale.from(k / 40)));
  }

  /** The rates of training or test rows: counts on the step that holds v. */
  rate(which, v) {
    const rates = this.rates[which];
    if (!rates) return null;
    const k = clamp(place(rates.value, v), 0, rates.hits.length - 1);
    const { positives, negatives } = rates, hits = rates.hits[k], alarms = rates.alarms[k];
    return { tpr: hits / positives, fpr: alarms / negatives, accuracy: (hits + negatives - alarms) / (positives + negatives) };
  }
}

/** The part of `list` that belongs to a group of rows. */
const part = (list, group) => list.subarray(group.first, group.first + group.index.length);

/** Which columns are largest somewhere, so many of them at most. */
function largest(columns, most) {
  const size = columns.map((column) => column.reduce((m, v) => Math.max(m, Math.abs(v)), 0));
  const order = [...size.keys()].sort((a, b) => size[b] - size[a]).slice(0, most);
  return { order, size };
}
