// Hundreds of superimposed lines: counts how many cross each pixel and shades by the logarithm of that. It costs the
// pixels that are crossed, not a stroke per segment, and dense bands stay readable where strokes would be a blot.

// `lines(put)` calls put(xs, ys, n) per unbroken line, in pixels of the raster.
function densityImage(width, height, colour, lines) {
  const counts = new Uint16Array(width * height);
  let most = 1;
  const column = (x, a, b) => {
    let low = Math.max(0, Math.round(Math.min(a, b)));
    const high = Math.min(height - 1, Math.round(Math.max(a, b)));
    for (let at = low * width + x; low <= high; ++low, at += width) {
      if (++counts[at] > most) most = counts[at];
    }
  };
  lines((xs, ys, n) => {
    for (let i = 1; i < n; ++i) {
      const first = Math.max(0, Math.floor(xs[i - 1]));
      const last = Math.min(width - 1, Math.floor(xs[i]));
      const slope = (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1] || 1);
      for (let x = first; x <= last; ++x) {
        const start = Math.max(xs[i - 1], x);
        const end = Math.min(xs[i], x + 1);
        column(x, ys[i - 1] + slope * (start - xs[i - 1]), ys[i - 1] + slope * (end - xs[i - 1]));
      }
    }
  });
  return shade(counts, width, height, most, rgb(colour));
}

function shade(counts, width, height, most, [r, g, b]) {
  const alpha = new Uint8ClampedArray(most + 1);
  for (let c = 1; c <= most; ++c) alpha[c] = 255 * (0.16 + 0.84 * Math.log(c) / Math.log(most + 1));
  const image = new ImageData(width, height);
  const bytes = new Uint32Array(image.data.buffer);
  const rest = r | (g << 8) | (b << 16);
  for (let i = 0; i < counts.length; ++i) {
    if (counts[i]) bytes[i] = (rest | (alpha[counts[i]] << 24)) >>> 0;
  }
  return image;
}

function drawImage(f, image) {
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d').putImageData(image, 0, 0);
  f.ctx.drawImage(canvas, f.area.x, f.area.y, f.area.w, f.area.h);
}
