// All peers of a group in one metric over time: the peers in grey, the sick one in colour, the windows in which it was
// flagged shaded.

const MANY_PEERS = 64;  // more lines than this are shaded by density

class PeerPlot {
  constructor(data) {
    this.data = data;
    this.timed = true;
    this.times = Float64Array.from(data.times, (t) => data.t0 + t);
    this.sick = data.components.indexOf(data.sick);
    this.rows = null;
  }

  height(width) {
    return Math.max(190, Math.min(300, width * 0.28));
  }

  // Unpacked at the first drawing: a report of many incidents opens at once.
  load() {
    if (this.rows) return;
    this.rows = unpackRows(this.data, this.times.length);
    this.middle = this.median();
    const steps = Array.from(this.times.subarray(1), (t, i) => t - this.times[i]).sort((a, b) => a - b);
    this.gap = 3.5 * (steps[steps.length >> 1] || 1);
  }

  // Median over the peers, the sick one left out, at each time.
  median() {
    const out = new Float32Array(this.times.length);
    const column = new Float32Array(this.rows.length);
    for (let i = 0; i < out.length; ++i) {
      let n = 0;
      this.rows.forEach((row, c) => {
        if (c !== this.sick && row[i] === row[i]) column[n++] = row[i];
      });
      const sorted = column.subarray(0, n).sort();
      out[i] = n === 0 ? NaN : (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2;
    }
    return out;
  }

  // First and last point to draw: one beyond either edge of the view.
  span() {
    const [from, to] = store.view;
    let first = 0;
    while (first + 1 < this.times.length && this.times[first + 1] < from) ++first;
    let last = this.times.length - 1;
    while (last > first && this.times[last - 1] > to) --last;
    return [first, last];
  }

  fit(f) {
    const [first, last] = this.span();
    let low = 0;
    let high = 0;
    for (const row of this.rows) {
      for (let i = first; i <= last; ++i) {
        if (row[i] > high) high = row[i];
        if (row[i] < low) low = row[i];
      }
    }
    this.scale = scaleFor(this.data.unit, Math.max(high, -low));
    this.ticks = niceTicks(low * this.scale.factor, (high || 1) * this.scale.factor, Math.max(3, Math.round(f.area.h / 45)));
    const bottom = this.ticks[0];
    const top = this.ticks[this.ticks.length - 1];
    this.shownY = (shown) => f.area.y + f.area.h * (1 - (shown - bottom) / (top - bottom));
    this.toY = (value) => this.shownY(value * this.scale.factor);
  }

  // Calls put(xs, ys, n) for every unbroken piece of a row. A lone sample becomes a short dash, not nothing.
  pieces(f, row, put) {
    const [first, last] = this.span();
    const xs = new Float32Array(last - first + 2);
    const ys = new Float32Array(last - first + 2);
    let n = 0;
    const end = () => {
      if (n === 1) {
        xs[1] = xs[0] + 1.5;
        ys[1] = ys[0];
        n = 2;
      }
      if (n > 1) put(xs, ys, n);
      n = 0;
    };
    for (let i = first; i <= last; ++i) {
      if (n > 0 && this.times[i] - this.times[i - 1] > this.gap) end();
      if (row[i] !== row[i]) {
        end();
        continue;
      }
      xs[n] = f.toX(this.times[i]);
      ys[n++] = this.toY(row[i]);
    }
    end();
  }

  stroke(f, row, colour, width, dash) {
    const {ctx} = f;
    ctx.beginPath();
    this.pieces(f, row, (xs, ys, n) => {
      ctx.moveTo(xs[0], ys[0]);
      for (let i = 1; i < n; ++i) ctx.lineTo(xs[i], ys[i]);
    });
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash || []);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.lineWidth = 1;
  }

  base(f) {
    this.load();
    this.fit(f);
    this.drawFlags(f);
    drawTimeAxis(f);
    drawValueAxis(f, this.ticks, this.shownY, this.scale.suffix || this.data.metric);
    clipped(f, () => {
      if (this.rows.length > MANY_PEERS) this.drawDensity(f);
      else this.rows.forEach((row, c) => c !== this.sick && this.stroke(f, row, theme.peer, 1));
      this.stroke(f, this.middle, theme.median, 1.5, [6, 4]);
      if (this.sick >= 0) this.stroke(f, this.rows[this.sick], theme.sick, 2);
    });
  }

  drawDensity(f) {
    const scale = f.ratio;
    drawImage(f, densityImage(Math.round(f.area.w * scale), Math.round(f.area.h * scale), theme.peer, (put) => {
      this.rows.forEach((row, c) => c !== this.sick && this.pieces(f, row, (xs, ys, n) => {
        for (let i = 0; i < n; ++i) {
          xs[i] = (xs[i] - f.area.x) * scale;
          ys[i] = (ys[i] - f.area.y) * scale;
        }
        put(xs, ys, n);
      }));
    }));
  }

  // Windows overlap; their union is shaded once, so that the shade means one thing.
  drawFlags(f) {
    const {ctx, area} = f;
    const spans = this.data.flagged.slice().sort((a, b) => a[0] - b[0]);
    const union = [];
    for (const [from, to] of spans) {
      const last = union[union.length - 1];
      if (last && from <= last[1]) last[1] = Math.max(last[1], to);
      else union.push([from, to]);
    }
    clipped(f, () => {
      for (const [from, to] of union) {
        const x = f.toX(from);
        const w = Math.max(1, f.toX(to) - x);
        ctx.fillStyle = theme.flag;
        ctx.fillRect(x, area.y, w, area.h);
        ctx.fillStyle = theme.sick;
        ctx.fillRect(x, area.y - 2, w, 2);
      }
    });
  }

  top(f) {
    if (!this.rows) return;
    clipped(f, () => {
      for (const [name, colour] of [[store.picked, theme.picked], [store.hovered, theme.ink]]) {
        const c = this.data.components.indexOf(name);
        if (c >= 0 && c !== this.sick) this.stroke(f, this.rows[c], colour, 2);
      }
    });
    drawCursor(f);
    this.drawDots(f);
    drawEndLabels(f, this.labels(f));
  }

  drawDots(f) {
    const i = this.nearest(store.cursor);
    if (i < 0) return;
    const dot = (value, colour) => {
      if (value !== value) return;
      f.ctx.beginPath();
      f.ctx.arc(f.toX(this.times[i]), this.toY(value), 3.5, 0, 2 * Math.PI);
      f.ctx.fillStyle = colour;
      f.ctx.fill();
    };
    dot(this.middle[i], theme.median);
    for (const [name, colour] of [[store.picked, theme.picked], [store.hovered, theme.ink], [this.data.sick, theme.sick]]) {
      const c = this.data.components.indexOf(name);
      if (c >= 0) dot(this.rows[c][i], c === this.sick ? theme.sick : colour);
    }
  }

  labels(f) {
    const labels = [];
    const add = (text, row, colour) => {
      const [first, last] = this.span();
      let i = last;
      while (i > first && (row[i] !== row[i] || this.times[i] > store.view[1])) --i;
      if (row[i] === row[i]) labels.push({text, y: this.toY(row[i]), colour});
    };
    const short = this.sick < 0 || f.width - f.area.x - f.area.w < 90;
    if (this.rows.length > 1) add(short ? 'median' : 'peers’ median', this.middle, theme.median);
    const done = new Set();
    for (const [name, colour] of [[this.data.sick, theme.sick], [store.picked, theme.picked], [store.hovered, theme.ink]]) {
      const c = this.data.components.indexOf(name);
      if (c >= 0 && !done.has(c)) add(name, this.rows[c], colour);
      done.add(c);
    }
    return labels;
  }

  // Index of the sample nearest to a moment; -1 without one.
  nearest(time) {
    if (time === null || this.times.length === 0 || !this.rows) return -1;
    let low = 0;
    let high = this.times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < time) low = middle;
      else high = middle;
    }
    return time - this.times[low] < this.times[high] - time ? low : high;
  }

  probe(f, x, y) {
    const {area} = f;
    if (x < area.x - 4 || x > area.x + area.w + 4 || !this.rows) return null;
    const i = this.nearest(f.toTime(x));
    if (i < 0) return null;
    const near = [];
    this.rows.forEach((row, c) => {
      if (row[i] === row[i]) near.push([Math.abs(this.toY(row[i]) - y), c]);
    });
    near.sort((a, b) => a[0] - b[0]);
    return this.found(f, i, near.slice(0, 4).map((pair) => pair[1]));
  }

  // What the tooltip says at point i: the sick one, the median, the nearest of the others.
  found(f, i, near) {
    const value = (row) => quantity(row[i], this.data.unit);
    const rows = [];
    if (this.sick >= 0) rows.push([this.data.sick, value(this.rows[this.sick]), 'sick']);
    if (this.rows.length > 1) rows.push([this.sick >= 0 ? 'peers’ median' : 'median', value(this.middle), 'median']);
    near.forEach((c, rank) => {
      if (c !== this.sick) rows.push([this.data.components[c], value(this.rows[c]), rank === 0 ? 'near' : '']);
    });
    const hovered = near.length > 0 ? this.data.components[near[0]] : null;
    const y = near.length > 0 ? this.toY(this.rows[near[0]][i]) : f.area.y;
    return {cursor: this.times[i], hovered, title: moment(this.times[i]), rows, x: f.toX(this.times[i]), y};
  }

  // Left and right go along the samples, up and down through the components by value.
  step(f, dx, dy) {
    if (!this.rows) return null;
    const [first, last] = this.span();
    const i = Math.max(first, Math.min(last, store.cursor === null ? first : this.nearest(store.cursor) + dx));
    const order = this.rows.map((_, c) => c).filter((c) => this.rows[c][i] === this.rows[c][i])
        .sort((a, b) => this.rows[a][i] - this.rows[b][i]);
    if (order.length === 0) return this.found(f, i, []);
    const now = this.data.components.indexOf(store.hovered || this.data.sick);
    const at = Math.max(0, Math.min(order.length - 1, order.indexOf(now) + dy));
    return this.found(f, i, [order[at]]);
  }
}
