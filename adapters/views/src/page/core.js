// Numbers, text and elements.

const DATA = () => JSON.parse(document.getElementById("data").textContent);

/** The array that a column of the data stands for; encode.rs says what the codes mean. */
function decode(column) {
  if (!column) return null;
  const [code, text, low, step] = column;
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = characters.charCodeAt(k);
  if (code === "d") return new Float64Array(bytes.buffer);
  if (code === "f") return new Float32Array(bytes.buffer);
  if (code === "i") return new Uint32Array(bytes.buffer);
  if (code === "h") {
    const wide = new Uint8Array(2 * bytes.length);
    for (let k = 0; k < bytes.length; k++) wide[4 * (k >> 1) + 2 + (k & 1)] = bytes[k];
    return new Float32Array(wide.buffer);
  }
  const values = new Float64Array(bytes.length / 3);
  for (let k = 0; k < values.length; k++) {
    values[k] = low + step * (bytes[3 * k] + 256 * bytes[3 * k + 1] + 65536 * bytes[3 * k + 2]);
  }
  return values;
}

const SYMBOLS = { tau: "τ", lambda: "λ", epsilon: "ε", nu: "ν", c: "C", "c-pos": "C₊", "c-neg": "C₋", alpha: "α" };
const symbol = (name) => SYMBOLS[name] ?? name;

const MINUS = "−";

/** A number of so many significant digits, as people write it. */
function short(value, digits = 6) {
  if (value === Infinity) return "∞";
  if (!Number.isFinite(value)) return "none";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? rounded.toExponential() : String(rounded);
  return text.replace("e+", "e").replace("-", MINUS).replace("e-", "e" + MINUS);
}

/** Zero for what is rounding beside numbers of a size. */
const tidy = (value, size) => (Math.abs(value) <= 1e-9 * size ? 0 : value);

const residual = (value) => (value === 0 ? "0" : Number.isFinite(value) ? value.toExponential(1).replace("-", MINUS).replace("e+0", "") : "∞");

/** An HTML element with attributes and children; strings become text, never markup. */
function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** The same for SVG. */
function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** The last place of a rising array whose value is at most v. */
function place(values, v) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= v) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const clamp = (v, low, high) => Math.min(Math.max(v, low), high);

function extent(...lists) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) {
    for (const v of list) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

/** A range with a little room at both ends. */
function roomy([low, high], part = 0.05) {
  const room = part * (high - low) || 0.5 * Math.abs(high) || 1;
  return [low - room, high + room];
}

/**
 * A scale from values to 0 … 1. Where most of them crowd at the lower end it is logarithmic from there on:
 * s = log(1 + (v − low)/c) / log(1 + (high − low)/c). A single value lies in the middle.
 */
function warp(values) {
  const low = values[0], high = values[values.length - 1];
  if (!(high > low)) return { low, high, curved: false, to: () => 0.5, from: () => low };
  const c = values[values.length >> 1] - low;
  if (!(c > 0) || (high - low) / c < 20) {
    return { low, high, curved: false, to: (v) => (v - low) / (high - low), from: (s) => low + s * (high - low) };
  }
  const whole = Math.log1p((high - low) / c);
  return {
    low, high, c, curved: true,
    to: (v) => Math.log1p((v - low) / c) / whole,
    from: (s) => low + c * Math.expm1(s * whole),
  };
}

/** Says something to screen readers once the cursor rests. */
const say = (() => {
  let timer = 0;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => { document.getElementById("live").textContent = text; }, 500);
  };
})();

/** Title and facts. */
function head(data) {
  document.getElementById("title").textContent = data.title;
  document.getElementById("facts").append(
    ...data.facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text))));
  document.getElementById("footer").textContent =
    `Written by ${data.program}. The numbers on this page are rounded to about six digits; the certificates were computed by pathqp from the data.`;
}

/** What the address asks for: #tau=0.3, or #c-pos=1&c-neg=2. */
const asked = () => new URLSearchParams(location.hash.slice(1));

function start() {
  const data = DATA();
  head(data);
  if (data.kind === "map") startMap(data);
  else startPath(data);
}
