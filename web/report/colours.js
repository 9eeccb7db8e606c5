// Colours of scores on a log2 scale about 1. Below 1 a component is within its threshold: blues that stay near the page.
// Above 1 it is not: orange to deep red. The step at 1 is one of hue *and* brightness, and brightness keeps falling (in the
// dark: rising), so the map reads in every form of colour blindness and on a grey printer.

const SCORE_RANGE = 3;  // from 2^-3 to 2^3
const LIGHT_STOPS = [[0, '#f2f6fa'], [0.499, '#c3d7ea'], [0.5, '#fcc37c'], [0.67, '#f08733'], [0.83, '#c8371b'], [1, '#6d0f12']];
const DARK_STOPS = [[0, '#1b2129'], [0.499, '#35506e'], [0.5, '#9c5413'], [0.67, '#d97a1e'], [0.83, '#ffb347'], [1, '#fff1c9']];
const COLOUR_STEPS = 256;

function scoreColours() {
  const stops = (theme.dark ? DARK_STOPS : LIGHT_STOPS).map(([at, hex]) => [at, rgb(hex)]);
  const out = new Uint32Array(COLOUR_STEPS);
  for (let i = 0; i < COLOUR_STEPS; ++i) {
    const t = i / (COLOUR_STEPS - 1);
    let k = 1;
    while (k + 1 < stops.length && stops[k][0] < t) ++k;
    const [[a, low], [b, high]] = [stops[k - 1], stops[k]];
    const share = Math.max(0, Math.min(1, (t - a) / (b - a)));
    const [r, g, blue] = low.map((c, j) => Math.round(c + (high[j] - c) * share));
    out[i] = (r | (g << 8) | (blue << 16) | (255 << 24)) >>> 0;
  }
  return out;
}

// 0..COLOUR_STEPS-1; above the threshold is always in the upper half, whatever the rounding.
function colourIndex(score) {
  if (!(score > 0)) return 0;
  const t = (Math.log2(score) + SCORE_RANGE) / (2 * SCORE_RANGE);
  const half = COLOUR_STEPS / 2;
  const i = Math.floor(Math.max(0, Math.min(1, t)) * (COLOUR_STEPS - 1));
  return score > 1 ? Math.max(half, i) : Math.min(half - 1, i);
}

function cssColour(packed) {
  return 'rgb(' + (packed & 255) + ',' + ((packed >> 8) & 255) + ',' + ((packed >> 16) & 255) + ')';
}
