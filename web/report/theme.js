// The page's colours for the canvases, read from the style sheet so that they have one home.

const theme = {};

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['ink', 'muted', 'grid', 'card', 'peer', 'median', 'sick', 'picked', 'flag', 'missing']) {
    theme[name] = style.getPropertyValue('--' + name).trim();
  }
  theme.dark = style.getPropertyValue('--dark').trim() === '1';
  theme.font = '11px ' + style.getPropertyValue('--sans').trim();
  theme.strong = '600 11px ' + style.getPropertyValue('--sans').trim();
}

// '#rrggbb' -> [r, g, b]
function rgb(hex) {
  const n = parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}
