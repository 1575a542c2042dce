// Charts: plain SVG, drawn anew when the width changes, with one layer that moves.

const PANELS = [];
const PALETTE = ["#3b82c4", "#d9722e", "#2f9e6e", "#9b5fc0", "#c0397a", "#8a8f2c", "#2aa3b0", "#b5683f", "#6d7ce0", "#7b8794"];

/** A card with a heading; `wide` takes two thirds of the width. */
function panel(title, wide = false) {
  const id = `panel-${document.querySelectorAll(".panel").length}`;
  const card = el("section", { class: wide ? "panel wide" : "panel", "aria-labelledby": id }, el("h2", { id }, title));
  document.getElementById("panels").append(card);
  return card;
}

function note(card, text) {
  const line = el("p", { class: "note" }, text);
  card.append(line);
  return line;
}

/** Names with their colours; `dot` for points. */
function legend(card, entries) {
  const item = ([name, colour, dot]) => {
    const mark = el("i", dot ? { class: "dot" } : {});
    mark.style.color = colour;
    return el("li", {}, mark, name);
  };
  card.append(el("ul", { class: "legend" }, ...entries.map(item)));
}

/** About `count` round numbers between two. */
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** Ticks of a scale: powers of ten where it is curved. */
function scaleTicks(scale, count) {
  if (!scale.curved) return ticks(scale.low, scale.high, count);
  const found = [scale.low];
  for (let e = Math.floor(Math.log10(scale.c)) - 1; 10 ** e <= scale.high; e++) found.push(10 ** e);
  const shown = [];
  for (const v of found) {
    if (v >= scale.low && shown.every((u) => Math.abs(scale.to(u) - scale.to(v)) > 0.8 / count)) shown.push(v);
  }
  return shown;
}

/** A straight scale; around one value it has some room. */
function linear(range) {
  const [low, high] = range[1] > range[0] ? range : roomy(range);
  return { low, high, curved: false, to: (v) => (v - low) / (high - low), from: (s) => low + s * (high - low) };
}

/**
 * A chart in a card. `options`: x and y scales with names, a description, the height as a part of the width,
 * `fixed(chart)` draws what stays, `moving(chart, state)` what moves.
 */
class Chart {
  constructor(card, options) {
    Object.assign(this, { left: 56, right: 12, top: 10, bottom: 40, ratio: 0.68 }, options);
    this.card = card;
    this.title = svg("title", {}, card.querySelector("h2").textContent);
    this.description = svg("desc", {}, options.description);
    this.root = svg("svg", { role: "img", "aria-label": `${card.querySelector("h2").textContent}. ${options.description}` });
    card.append(this.root);
    this.state = null;
    PANELS.push(this);
    this.resize();
  }

  X(v) { return this.left + this.x.to(v) * (this.width - this.left - this.right); }
  Y(v) { return this.height - this.bottom - this.y.to(v) * (this.height - this.top - this.bottom); }

  resize() {
    const style = getComputedStyle(this.card);
    const width = Math.max(220, this.card.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    if (width === this.width) return;
    this.width = width;
    this.height = Math.round(clamp(width * this.ratio, 210, 400));
    this.root.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.root.style.height = `${this.height}px`;
    this.below = svg("g");
    this.above = svg("g");
    this.root.replaceChildren(this.title, this.description, this.below, this.above);
    this.axes();
    this.marks = {};
    this.fixed?.(this);
    if (this.state) this.update(this.state);
  }

  axes() {
    const { left, right, top, bottom, width, height } = this;
    for (const v of scaleTicks(this.x, width / 65)) {
      const x = this.X(v);
      const anchor = x > width - right - 14 ? "end" : "middle";
      this.below.append(svg("line", { class: "grid", x1: x, x2: x, y1: top, y2: height - bottom }),
        svg("text", { x, y: height - bottom + 16, "text-anchor": anchor }, short(v, 4)));
    }
    for (const v of scaleTicks(this.y, height / 48)) {
      const y = this.Y(v);
      this.below.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y }),
        svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, short(v, 4)));
    }
    this.below.append(
      svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
      svg("line", { class: "axis", x1: left, x2: left, y1: top, y2: height - bottom }),
      svg("text", { class: "name", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, this.xName),
      svg("text", { class: "name", x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle",
        transform: `rotate(-90 12 ${(top + height - bottom) / 2})` }, this.yName));
  }

  /** A curve through points that are equally many x and y. */
  path(xs, ys) {
    let text = "", px = NaN, py = NaN;
    const last = xs.length - 1;
    for (let k = 0; k <= last; k++) {
      const x = this.X(xs[k]), y = this.Y(ys[k]);
      if (!Number.isFinite(x + y)) { px = NaN; continue; }
      // Straight in v is not straight on a curved scale.
      const bends = this.x.curved && x - px > 6 ? Math.min(Math.ceil((x - px) / 6), 60) : 1;
      for (let b = 1; b < bends; b++) {
        const [v, w] = [xs, ys].map((list) => list[k - 1] + ((list[k] - list[k - 1]) * b) / bends);
        text += `L${this.X(v).toFixed(1)},${this.Y(w).toFixed(1)}`;
      }
      const near = Math.abs(x - px) < 0.4 && Math.abs(y - py) < 0.4;
      if (near && k < last) continue;
      text += `${Number.isNaN(px) ? "M" : "L"}${x.toFixed(1)},${y.toFixed(1)}`;
      [px, py] = [x, y];
    }
    return text;
  }

  /** Points, as one path of dots. */
  dots(xs, ys) {
    let text = "";
    for (let k = 0; k < xs.length; k++) text += `M${this.X(xs[k]).toFixed(1)},${this.Y(ys[k]).toFixed(1)}h0`;
    return text;
  }

  /** A path that stays (`below`) or moves, found again by its key. */
  mark(key, attributes) {
    if (!this.marks[key]) {
      this.marks[key] = svg("path", { "stroke-linecap": "round", "stroke-linejoin": "round" });
      this.above.append(this.marks[key]);
    }
    for (const [name, value] of Object.entries(attributes)) this.marks[key].setAttribute(name, value);
  }

  curve(xs, ys, colour, width = 1.5, opacity = 1) {
    this.below.append(svg("path", { d: this.path(xs, ys), stroke: colour, "stroke-width": width, opacity, "stroke-linejoin": "round" }));
  }

  guide(x1, y1, x2, y2) {
    this.below.append(svg("line", { class: "guide", x1: this.X(x1), y1: this.Y(y1), x2: this.X(x2), y2: this.Y(y2) }));
  }

  cursor(v) {
    const x = this.X(v).toFixed(1);
    this.mark("cursor", { d: `M${x},${this.top}V${this.height - this.bottom}`, class: "cursor" });
  }

  update(state) {
    this.state = state;
    this.moving?.(this, state);
  }
}

/** Rows of names and values; a value can be asked for by its key, and has its number in `data-value`. */
class Table {
  constructor(card, keys) {
    this.cells = {};
    const row = ([key, name]) => {
      this.cells[key] = el("td", { id: key });
      return el("tr", {}, el("th", { scope: "row" }, name), this.cells[key]);
    };
    card.append(el("table", {}, el("tbody", {}, ...keys.map(row))));
  }

  set(key, text, number) {
    const cell = this.cells[key];
    if (!cell) return;
    cell.textContent = text;
    if (number !== undefined) cell.dataset.value = number;
  }
}

/** A table of names, numbers and bars; the rows stay, the numbers move. */
class Bars {
  constructor(card, caption, names, largest) {
    this.rows = names.map((name) => {
      const number = el("td", { class: "number" }), bar = el("b");
      const row = el("tr", {}, el("th", { scope: "row" }, name), number,
        el("td", { class: "bar", "aria-hidden": "true" }, el("span", {}, bar)));
      return { row, number, bar };
    });
    this.largest = largest;
    card.append(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
      el("table", {}, el("caption", {}, caption), el("tbody", {}, ...this.rows.map((r) => r.row)))));
  }

  update(values) {
    this.rows.forEach(({ number, bar }, k) => {
      const share = clamp(values[k] / this.largest || 0, -1, 1) * 50;
      number.textContent = short(values[k]);
      number.dataset.value = values[k];
      bar.style.left = `${share < 0 ? 50 + share : 50}%`;
      bar.style.width = `${Math.abs(share)}%`;
      bar.style.background = share < 0 ? "var(--minus)" : "var(--plus)";
    });
  }
}

window.addEventListener("resize", () => PANELS.forEach((chart) => chart.resize()));
