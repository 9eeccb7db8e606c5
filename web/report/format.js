// Numbers and moments as people read them. The units and prefixes are those of src/report/quantity.cc.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const TIME_STEPS = [1e-9, 1e-6, 1e-3, 1];
const TIME_NAMES = ['ns', 'µs', 'ms', 's'];
const SECONDS_PER = {s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9};

function prefixFor(size, names) {
  const at = size >= 1 ? Math.min(names.length - 1, Math.floor(Math.log10(size * 1.0005) / 3)) : 0;
  return {factor: Math.pow(1000, -at), name: names[at]};
}

// How to show values of `unit` whose largest is `largest`: multiply by `factor`, write `suffix` behind.
function scaleFor(unit, largest) {
  const size = Math.abs(largest);
  if (unit in SECONDS_PER) {
    const seconds = size * SECONDS_PER[unit];
    let at = 0;
    while (at + 1 < TIME_STEPS.length && seconds >= 0.9995 * TIME_STEPS[at + 1]) ++at;
    if (seconds === 0) at = 2;
    return {factor: SECONDS_PER[unit] / TIME_STEPS[at], suffix: TIME_NAMES[at]};
  }
  const bytes = /^(bytes|sectors)(\/s)?$/.exec(unit);
  if (bytes) {
    const each = bytes[1] === 'sectors' ? 512 : 1;
    const prefix = prefixFor(size * each, ['B', 'kB', 'MB', 'GB', 'TB']);
    return {factor: each * prefix.factor, suffix: prefix.name + (bytes[2] || '')};
  }
  const prefix = prefixFor(size, ['', 'k', 'M', 'G']);
  const name = unit === 'any' ? '' : unit;
  return {factor: prefix.factor, suffix: prefix.name && name ? prefix.name + ' ' + name : prefix.name + name};
}

function digits(value) {
  const size = Math.abs(value);
  if (size >= 99.95 || size === 0) return value.toFixed(0);
  return String(Number(value.toPrecision(size >= 1e-3 ? 3 : 2)));
}

function quantity(value, unit) {
  if (!Number.isFinite(value)) return 'missing';
  const scale = scaleFor(unit, value);
  return digits(value * scale.factor) + (scale.suffix ? ' ' + scale.suffix : '');
}

const two = (n) => String(n).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function clock(ms, withSeconds) {
  const t = new Date(ms);
  return two(t.getUTCHours()) + ':' + two(t.getUTCMinutes()) + (withSeconds ? ':' + two(t.getUTCSeconds()) : '');
}

function day(ms) {
  const t = new Date(ms);
  return t.getUTCDate() + ' ' + MONTHS[t.getUTCMonth()];
}

function moment(ms) {
  return day(ms) + ' ' + clock(ms, true) + ' UTC';
}

const TICK_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND), ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR), ...[1, 2, 5, 10, 30, 100].map((n) => n * DAY)
];

// About `count` round moments in [from, to], each with its label; the first, and every new day, name the day.
function timeTicks(from, to, count) {
  const step = TICK_STEPS.find((s) => (to - from) / s <= count) || 365 * DAY;
  const ticks = [];
  let lastDay = '';
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    const today = day(t);
    const hour = step >= DAY ? '' : clock(t, step < MINUTE);
    ticks.push({at: t, label: hour || today, day: today !== lastDay && hour ? today : ''});
    lastDay = today;
  }
  return ticks;
}

// Round values from `low` to at least `high`.
function niceTicks(low, high, count) {
  const span = high - low || 1;
  const raw = span / count;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = power * [1, 2, 2.5, 5, 10].find((m) => m * power >= raw * 0.999);
  const ticks = [];
  const first = Math.floor(low / step + 1e-9);
  for (let k = first; ticks.length === 0 || (k - 1) * step < high * (1 - 1e-9); ++k) ticks.push(k * step);
  return ticks;
}
