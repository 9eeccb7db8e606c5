// Components x windows of the score. A cell stands at the middle of its window, as wide as windows are apart, so that it
// lies above what it speaks of in the plots, which share the time axis.

const MAP_HEIGHT = 620;    // rows shrink to keep to this
const MOST_ROWS = 1000;    // but not below a pixel: beyond this many components, neighbours share a row, the worst shows

// How much a component was anomalous: windows above 1, then how far.
function anomalousShare(row) {
  let weight = 0;
  for (const score of row) {
    if (score > 1) weight += 1 + 1e-3 * Math.min(score, 100);
  }
  return weight;
}

class ScoreMap {
  constructor(data) {
    this.data = data;
    this.timed = true;
    this.starts = Float64Array.from(data.times, (t) => data.t0 + t);
    const steps = Array.from(this.starts.subarray(1), (t, i) => t - this.starts[i]).sort((a, b) => a - b);
    this.shift = Math.min(data.length, steps[steps.length >> 1] || data.length);
    this.inset = (data.length - this.shift) / 2;
    const n = data.components.length;
    this.pool = Math.ceil(n / MOST_ROWS);
    this.count = Math.ceil(n / this.pool);
    this.sortBy(null);
  }

  // A button beside the caption: components by name, or those with the most anomalous windows first.
  attach(f) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.textContent = 'Worst first';
    button.addEventListener('click', () => {
      this.load();
      const worst = button.textContent === 'Worst first';
      button.textContent = worst ? 'By name' : 'Worst first';
      this.sortBy(worst ? this.rows.map(anomalousShare) : null);
      this.picture = null;
      f.refresh(true);
    });
    f.element.querySelector('figcaption').append(button);
  }

  // `order[p]` is the component at place p, `place` its inverse.
  sortBy(weights) {
    this.order = this.data.components.map((_, c) => c);
    if (weights) this.order.sort((a, b) => weights[b] - weights[a] || a - b);
    this.place = new Array(this.order.length);
    this.order.forEach((c, p) => { this.place[c] = p; });
  }

  rowOf(c) {
    return Math.floor(this.place[c] / this.pool);
  }

  rowHeight() {
    return this.count * 20 <= MAP_HEIGHT ? 20 : Math.max(1, MAP_HEIGHT / this.count);
  }

  height() {
    return MARGIN.top + 26 + MARGIN.bottom + this.count * this.rowHeight();
  }

  load() {
    if (!this.rows) this.rows = unpackRows(this.data, this.starts.length);
    if (!this.picture || this.dark !== theme.dark) this.paint();
  }

  // One pixel per cell; drawing stretches it.
  paint() {
    const [w, h] = [this.starts.length, this.count];
    const worst = new Float32Array(w * h).fill(NaN);
    this.rows.forEach((row, c) => {
      const at = this.rowOf(c) * w;
      for (let i = 0; i < w; ++i) {
        if (row[i] === row[i] && !(worst[at + i] >= row[i])) worst[at + i] = row[i];
      }
    });
    const image = new ImageData(w, h);
    const pixels = new Uint32Array(image.data.buffer);
    const colours = scoreColours();
    worst.forEach((score, i) => {
      if (score === score) pixels[i] = colours[colourIndex(score)];
    });
    this.picture = document.createElement('canvas');
    [this.picture.width, this.picture.height] = [w, h];
    this.picture.getContext('2d').putImageData(image, 0, 0);
    this.dark = theme.dark;
  }

  layOut(f) {
    f.area.y = MARGIN.top + 26;
    f.area.h = this.count * this.rowHeight();
    this.rowY = (row) => f.area.y + row * this.rowHeight();
  }

  base(f) {
    this.load();
    this.layOut(f);
    const {ctx, area} = f;
    drawTimeAxis(f);
    this.drawLegend(f);
    clipped(f, () => {
      ctx.fillStyle = theme.missing;
      const from = f.toX(this.starts[0] + this.inset);
      const to = f.toX(this.starts[this.starts.length - 1] + this.inset + this.shift);
      ctx.fillRect(from, area.y, to - from, area.h);
      ctx.imageSmoothingEnabled = false;
      for (let i = 0; i < this.starts.length; ++i) {
        const [x0, x1] = this.cell(f, i);
        if (x1 > area.x && x0 < area.x + area.w) {
          ctx.drawImage(this.picture, i, 0, 1, this.count, x0, area.y, Math.max(x1 - x0, 1 / f.ratio), area.h);
        }
      }
      this.drawSeams(f);
    });
    this.drawNames(f);
  }

  // Pixel edges of window i, snapped to device pixels so that neighbours neither overlap nor gape.
  cell(f, i) {
    const snap = (x) => Math.round(x * f.ratio) / f.ratio;
    const start = this.starts[i] + this.inset;
    const next = i + 1 < this.starts.length ? this.starts[i + 1] + this.inset : Infinity;
    return [snap(f.toX(start)), snap(f.toX(Math.min(next, start + this.shift)))];
  }

  drawSeams(f) {
    const {ctx, area} = f;
    ctx.fillStyle = theme.card;
    if (this.rowHeight() >= 8) {
      for (let row = 1; row < this.count; ++row) ctx.fillRect(area.x, this.rowY(row) - 1, area.w, 1);
    }
    const wide = this.cell(f, 0);
    if (wide[1] - wide[0] >= 8) {
      for (let i = 1; i < this.starts.length; ++i) ctx.fillRect(this.cell(f, i)[0] - 1, area.y, 1, area.h);
    }
  }

  drawNames(f) {
    if (this.rowHeight() < 11) return;
    const {ctx, area} = f;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    this.data.components.forEach((name, c) => {
      const sick = store.sick.has(name);
      ctx.font = sick ? theme.strong : theme.font;
      drawLabel(ctx, name, area.x + area.w + 8, this.rowY(this.rowOf(c) + 0.5), sick ? theme.sick : theme.muted, f.width - area.x - area.w - 10);
    });
    ctx.font = theme.font;
  }

  drawLegend(f) {
    const {ctx, area} = f;
    const colours = scoreColours();
    const [w, h, x, y] = [Math.min(240, area.w - 150), 10, area.x, 4];
    for (let i = 0; i < w; ++i) {
      ctx.fillStyle = cssColour(colours[Math.floor(i / w * COLOUR_STEPS)]);
      ctx.fillRect(x + i, y, 1.5, h);
    }
    ctx.fillStyle = theme.muted;
    ctx.textBaseline = 'top';
    ctx.textAlign = 'center';
    ['⅛', '¼', '½', '1', '2', '4', '8'].forEach((label, i) => ctx.fillText(label, x + i * w / 6, y + h + 4));
    ctx.textAlign = 'left';
    ctx.fillText('score', 0, y);
    ctx.fillStyle = theme.missing;
    ctx.fillRect(x + w + 24, y, 16, h);
    ctx.fillStyle = theme.muted;
    ctx.fillText('not judged', x + w + 46, y);
  }

  top(f) {
    if (!this.rows) return;
    this.layOut(f);
    const marks = [[store.picked, theme.picked], [store.hovered, theme.ink]];
    if (this.rowHeight() < 6) store.sick.forEach((name) => this.markRow(f, this.data.components.indexOf(name), theme.sick));
    for (const [name, colour] of marks) this.markRow(f, this.data.components.indexOf(name), colour);
    if (this.rowHeight() < 11) {
      const labels = [...marks, ...[...store.sick].map((name) => [name, theme.sick])];
      const seen = new Set();
      drawEndLabels(f, labels.reverse().flatMap(([name, colour]) => {
        const c = this.data.components.indexOf(name);
        if (c < 0 || seen.has(c)) return [];
        seen.add(c);
        return [{text: name, y: this.rowY(this.rowOf(c) + 0.5), colour}];
      }));
    }
    drawCursor(f);
  }

  markRow(f, c, colour) {
    if (c < 0) return;
    const {ctx, area} = f;
    const y = this.rowY(this.rowOf(c));
    if (this.rowHeight() < 6) {  // a frame would hide the row and its neighbours
      ctx.fillStyle = colour;
      const middle = y + this.rowHeight() / 2;
      for (const [tip, back] of [[area.x - 1, area.x - 8], [area.x + area.w + 1, area.x + area.w + 8]]) {
        ctx.beginPath();
        ctx.moveTo(tip, middle);
        ctx.lineTo(back, middle - 4);
        ctx.lineTo(back, middle + 4);
        ctx.fill();
      }
      return;
    }
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(area.x - 1, y - 1.5, area.w + 2, this.rowHeight() + 2);
    ctx.lineWidth = 1;
  }

  windowAt(time) {
    let best = -1;
    for (let i = 0; i < this.starts.length; ++i) {
      const middle = this.starts[i] + this.data.length / 2;
      if (best < 0 || Math.abs(middle - time) < Math.abs(this.starts[best] + this.data.length / 2 - time)) best = i;
    }
    return best;
  }

  probe(f, x, y) {
    const {area} = f;
    if (!this.rows || x < area.x - 4 || y < area.y - 2 || y > area.y + area.h + 2) return null;
    const row = Math.max(0, Math.min(this.count - 1, Math.floor((y - area.y) / this.rowHeight())));
    const i = this.windowAt(f.toTime(x));
    const shared = this.order.slice(row * this.pool, (row + 1) * this.pool);
    const score = (c) => (this.rows[c][i] === this.rows[c][i] ? this.rows[c][i] : -1);
    return this.found(f, i, shared.reduce((best, c) => (score(c) > score(best) ? c : best)));
  }

  found(f, i, c) {
    if (i < 0) return null;
    const score = this.rows[c][i];
    const start = this.starts[i];
    const verdict = score > 1 ? 'anomalous' : score === score ? 'within its threshold' : 'not judged';
    return {
      cursor: start + this.data.length / 2, hovered: this.data.components[c], title: this.data.components[c],
      rows: [['score', score === score ? digits(score) : 'none', score > 1 ? 'sick' : ''], [verdict, ''],
             ['window', day(start) + ' ' + clock(start, true) + ' to ' + clock(start + this.data.length, true) + ' UTC']],
      x: f.toX(start + this.data.length / 2), y: this.rowY(this.rowOf(c) + 0.5),
    };
  }

  step(f, dx, dy) {
    if (!this.rows) return null;
    const c = Math.max(0, this.data.components.indexOf(store.hovered || store.picked || [...store.sick][0]));
    const i = store.cursor === null ? 0 : this.windowAt(store.cursor) + dx;
    const last = this.order.length - 1;
    const next = this.order[Math.max(0, Math.min(last, this.place[c] - dy))];
    return this.found(f, Math.max(0, Math.min(this.starts.length - 1, i)), next);
  }
}
