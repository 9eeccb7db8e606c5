// Cumulative distributions of the peers in one window, as steps: how much of the time a component was at or below a value.

class DistributionPlot {
  constructor(data) {
    this.data = data;
    this.timed = false;
    this.right = 18;
    this.sick = data.components.indexOf(data.sick);
    this.rows = null;
  }

  height() {
    return 230;
  }

  base(f) {
    if (!this.rows) this.rows = unpackLists(this.data);
    this.fit(f);
    this.drawAxes(f);
    clipped(f, () => {
      f.ctx.globalAlpha = this.rows.length > MANY_PEERS ? 0.35 : 1;
      this.rows.forEach((row, c) => c !== this.sick && this.stroke(f, row, theme.peer, 1));
      f.ctx.globalAlpha = 1;
      if (this.sick >= 0) this.stroke(f, this.rows[this.sick], theme.sick, 2);
    });
  }

  fit(f) {
    let low = Infinity;
    let high = -Infinity;
    for (const row of this.rows) {
      if (row.length === 0) continue;
      low = Math.min(low, row[0]);
      high = Math.max(high, row[row.length - 1]);
    }
    if (!(low <= high)) [low, high] = [0, 1];
    if (low > 0 && low < 0.5 * high) low = 0;
    this.scale = scaleFor(this.data.unit, Math.max(Math.abs(low), Math.abs(high)));
    this.ticks = niceTicks(low * this.scale.factor, high * this.scale.factor, Math.max(2, Math.round(f.area.w / 80)));
    const left = this.ticks[0];
    const right = this.ticks[this.ticks.length - 1];
    this.shownX = (shown) => f.area.x + f.area.w * (shown - left) / (right - left || 1);
    this.toX = (value) => this.shownX(value * this.scale.factor);
    this.toValue = (x) => (left + (x - f.area.x) / f.area.w * (right - left)) / this.scale.factor;
    this.toY = (share) => f.area.y + f.area.h * (1 - share);
  }

  drawAxes(f) {
    const {ctx, area} = f;
    drawValueAxis(f, [0, 25, 50, 75, 100], (percent) => this.toY(percent / 100), '% of samples');
    ctx.textAlign = 'center';
    ctx.textBaseline = 'top';
    for (const tick of this.ticks) {
      const x = Math.round(this.shownX(tick)) + 0.5;
      ctx.strokeStyle = theme.grid;
      ctx.beginPath();
      ctx.moveTo(x, area.y);
      ctx.lineTo(x, area.y + area.h + 4);
      ctx.stroke();
      ctx.fillStyle = theme.muted;
      ctx.fillText(String(Number(tick.toPrecision(6))), x, area.y + area.h + 7);
    }
    ctx.textAlign = 'right';
    ctx.fillText(this.scale.suffix, area.x + area.w, area.y + area.h + 20);
    ctx.textAlign = 'left';
  }

  stroke(f, row, colour, width) {
    if (row.length === 0) return;
    const {ctx, area} = f;
    ctx.beginPath();
    ctx.moveTo(area.x, this.toY(0));
    row.forEach((value, i) => {
      const x = this.toX(value);
      ctx.lineTo(x, this.toY(i / row.length));
      ctx.lineTo(x, this.toY((i + 1) / row.length));
    });
    ctx.lineTo(area.x + area.w, this.toY(1));
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
    ctx.lineWidth = 1;
  }

  top(f) {
    if (!this.rows) return;
    clipped(f, () => {
      for (const [name, colour] of [[store.picked, theme.picked], [store.hovered, theme.ink]]) {
        const c = this.data.components.indexOf(name);
        if (c >= 0 && c !== this.sick) this.stroke(f, this.rows[c], colour, 2);
      }
    });
    this.drawLabels(f);
  }

  // Beside each named curve's middle, on the side that has room.
  drawLabels(f) {
    const done = new Set();
    let share = 0.5;
    f.ctx.font = theme.strong;
    f.ctx.textBaseline = 'middle';
    for (const [name, colour] of [[this.data.sick, theme.sick], [store.picked, theme.picked], [store.hovered, theme.ink]]) {
      const c = this.data.components.indexOf(name);
      if (c < 0 || done.has(c) || this.rows[c].length === 0) continue;
      done.add(c);
      const x = this.toX(this.rows[c][Math.floor((this.rows[c].length - 1) * share)]);
      const room = f.area.x + f.area.w - x;
      const left = room < 90 && x - f.area.x > room;
      f.ctx.textAlign = left ? 'right' : 'left';
      drawLabel(f.ctx, name, left ? x - 8 : x + 8, this.toY(share), colour, Math.max(room, x - f.area.x) - 12);
      share -= 0.12;
    }
    f.ctx.textAlign = 'left';
    f.ctx.font = theme.font;
  }

  share(row, value) {
    let n = 0;
    while (n < row.length && row[n] <= value) ++n;
    return row.length === 0 ? NaN : n / row.length;
  }

  probe(f, x, y) {
    if (x < f.area.x - 4 || x > f.area.x + f.area.w + 4 || !this.rows) return null;
    const value = this.toValue(Math.max(f.area.x, Math.min(f.area.x + f.area.w, x)));
    const near = this.rows.map((row, c) => [Math.abs(this.toY(this.share(row, value)) - y), c])
        .filter((pair) => pair[0] === pair[0]).sort((a, b) => a[0] - b[0]).slice(0, 3);
    return this.found(value, near.map((pair) => pair[1]), x, y);
  }

  found(value, near, x, y) {
    const percent = (c) => Math.round(100 * this.share(this.rows[c], value)) + ' %';
    const rows = this.sick >= 0 ? [[this.data.sick, percent(this.sick), 'sick']] : [];
    near.forEach((c, rank) => {
      if (c !== this.sick) rows.push([this.data.components[c], percent(c), rank === 0 ? 'near' : '']);
    });
    const hovered = near.length > 0 ? this.data.components[near[0]] : null;
    return {hovered, title: 'at most ' + quantity(value, this.data.unit), rows, x, y};
  }

  step(f, dx, dy) {
    if (!this.rows) return null;
    const {area} = f;
    const last = f.probed && f.probed.x !== undefined ? f.probed : {x: area.x + area.w / 2, y: area.y + area.h / 2};
    return this.probe(f, Math.max(area.x, Math.min(area.x + area.w, last.x + 8 * dx)), last.y - 12 * dy);
  }
}
