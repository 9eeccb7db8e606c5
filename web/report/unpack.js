// Numbers as the page carries them; src/report/page_data.h says how they are coded.

const FIRST_DECADE = 10000;
const DECADE = 9000;

function decodeTable(exponent) {
  const table = new Float32Array(65536);
  const unit = Math.pow(10, exponent);
  for (let code = 0; code < 28000; ++code) {
    const decade = code < FIRST_DECADE ? 0 : 1 + Math.floor((code - FIRST_DECADE) / DECADE);
    const mantissa = code < FIRST_DECADE ? code : 1000 + (code - FIRST_DECADE) % DECADE;
    const value = mantissa * unit * Math.pow(10, decade);
    table[code] = value;
    table[(65536 - code) & 0xffff] = -value;
  }
  table[0] = 0;
  table[32768] = NaN;
  return table;
}

// Base64 of little-endian 16-bit codes -> Float32Array, NaN where missing.
function unpack(item) {
  const text = atob(item.packed);
  const table = decodeTable(item.exponent);
  const out = new Float32Array(text.length / 2);
  for (let i = 0; i < out.length; ++i) {
    out[i] = table[text.charCodeAt(2 * i) | (text.charCodeAt(2 * i + 1) << 8)];
  }
  return out;
}

// Rows of equal length (`width`) as views into one array.
function unpackRows(item, width) {
  const all = unpack(item);
  return item.components.map((_, i) => all.subarray(i * width, (i + 1) * width));
}

// Rows of the given lengths.
function unpackLists(item) {
  const all = unpack(item);
  let at = 0;
  return item.lengths.map((length) => all.subarray(at, at += length));
}

function readJson(id) {
  return JSON.parse(document.getElementById(id).textContent);
}
