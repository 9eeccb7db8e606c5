// Axes, grid and labels: quiet, so that the data is what one sees.

function drawTimeAxis(f) {
  const {ctx, area} = f;
  const [from, to] = store.view;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'center';
  for (const tick of timeTicks(from, to, Math.max(2, Math.floor(area.w / 90)))) {
    const x = Math.round(f.toX(tick.at)) + 0.5;
    ctx.strokeStyle = theme.grid;
    ctx.beginPath();
    ctx.moveTo(x, area.y);
    ctx.lineTo(x, area.y + area.h + 4);
    ctx.stroke();
    ctx.fillStyle = theme.muted;
    ctx.fillText(tick.label, x, area.y + area.h + 7);
    if (tick.day) ctx.fillText(tick.day, x, area.y + area.h + 20);
  }
  ctx.textAlign = 'left';
  ctx.fillStyle = theme.muted;
  ctx.fillText('UTC', area.x + area.w + 8, area.y + area.h + 7);
}

// `ticks` in shown units; `toY` maps them to pixels.
function drawValueAxis(f, ticks, toY, title) {
  const {ctx, area} = f;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  const decimals = ticks.length > 1 ? Math.max(0, -Math.floor(Math.log10(ticks[1] - ticks[0]) + 1e-9)) : 0;
  const places = ticks.some((t) => Math.abs(t * Math.pow(10, decimals) % 1) > 1e-6 &&
                            Math.abs(t * Math.pow(10, decimals) % 1) < 1 - 1e-6) ? decimals + 1 : decimals;
  for (const tick of ticks) {
    const y = Math.round(toY(tick)) + 0.5;
    ctx.strokeStyle = theme.grid;
    ctx.beginPath();
    ctx.moveTo(area.x, y);
    ctx.lineTo(area.x + area.w, y);
    ctx.stroke();
    ctx.fillStyle = theme.muted;
    ctx.fillText(tick.toFixed(places), area.x - 8, y);
  }
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.fillStyle = theme.muted;
  ctx.fillText(title, 0, area.y - 10);
}

// Text that stays legible on top of lines, cut with an ellipsis to `width`.
function drawLabel(ctx, text, x, y, colour, width) {
  let shown = text;
  while (shown.length > 1 && ctx.measureText(shown).width > width) shown = shown.slice(0, -2) + '…';
  ctx.lineWidth = 4;
  ctx.strokeStyle = theme.card;
  ctx.strokeText(shown, x, y);
  ctx.fillStyle = colour;
  ctx.fillText(shown, x, y);
  ctx.lineWidth = 1;
}

// Labels at the right of the plot, pushed apart where they would touch. `labels`: [{text, y, colour}].
function drawEndLabels(f, labels) {
  const {ctx, area} = f;
  const apart = 14;
  const low = area.y + area.h - 4;
  const sorted = labels.slice().sort((a, b) => a.y - b.y);
  for (let i = 1; i < sorted.length; ++i) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + apart);
  for (let i = sorted.length - 1, limit = low; i >= 0; --i, limit -= apart) {
    sorted[i].y = Math.min(sorted[i].y, i + 1 < sorted.length ? Math.min(limit, sorted[i + 1].y - apart) : limit);
  }
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.font = theme.strong;
  for (const label of sorted) {
    drawLabel(ctx, label.text, area.x + area.w + 11, label.y, label.colour, f.width - area.x - area.w - 13);
  }
  ctx.font = theme.font;
}

function drawCursor(f) {
  if (store.cursor === null) return;
  const {ctx, area} = f;
  const x = Math.round(f.toX(store.cursor)) + 0.5;
  if (x < area.x || x > area.x + area.w + 1) return;
  ctx.strokeStyle = theme.muted;
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(x, area.y);
  ctx.lineTo(x, area.y + area.h);
  ctx.stroke();
  ctx.setLineDash([]);
}

// Runs `draw` with everything outside the plot area cut off.
function clipped(f, draw) {
  const {ctx, area} = f;
  ctx.save();
  ctx.beginPath();
  ctx.rect(area.x, area.y - 2, area.w, area.h + 4);
  ctx.clip();
  draw();
  ctx.restore();
}
