// One figure: two canvases above each other (the drawing, and a cheap top layer for cursor and highlights), the
// pointer, the keys and the tooltip. What is drawn comes from a painter:
//   height(width)            height in CSS pixels
//   base(f), top(f)          draw into f.ctx within f.area
//   probe(f, x, y)           what is under the pointer: {cursor, hovered, title, rows: [[name, value, kind]]}
//   step(f, dx, dy)          the same after an arrow key
//   right                    its own right margin, if it needs no room for labels there
//   attach(f)                adds controls, if it has any
//   timed                    whether x is time (then dragging zooms)

const MARGIN = {left: 58, right: 128, top: 22, bottom: 34};
const CLICK_SLOP = 4;

class Figure {
  constructor(element, painter) {
    this.element = element;
    this.painter = painter;
    this.stage = element.querySelector('.stage');
    this.layers = ['base', 'top'].map((name) => {
      const canvas = document.createElement('canvas');
      canvas.className = name;
      this.stage.append(canvas);
      return canvas;
    });
    this.tip = document.createElement('div');
    this.tip.className = 'tip';
    this.tip.hidden = true;
    this.stage.append(this.tip);
    this.drag = null;
    this.probed = null;
    this.visible = false;
    this.stale = true;
    if (painter.attach) painter.attach(this);
    this.listenToPointer();
    this.listenToKeys();
    listen((deep) => this.refresh(deep));
    new ResizeObserver(() => this.resize()).observe(this.stage);
    new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      if (this.visible && this.stale) this.draw();
    }, {rootMargin: '400px'}).observe(this.stage);
  }

  resize() {
    const width = this.stage.clientWidth;
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.refresh(true);
  }

  layOut() {
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    this.height = this.painter.height(this.width);
    const right = this.painter.right || Math.min(MARGIN.right, this.width * 0.22);
    this.area = {
      x: MARGIN.left, y: MARGIN.top, w: Math.max(40, this.width - MARGIN.left - right),
      h: this.height - MARGIN.top - MARGIN.bottom,
    };
    this.stage.style.height = this.height + 'px';
    for (const canvas of this.layers) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
      canvas.style.width = this.width + 'px';
      canvas.style.height = this.height + 'px';
    }
  }

  layer(index) {
    const ctx = this.layers[index].getContext('2d');
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    ctx.font = theme.font;
    ctx.lineJoin = 'round';
    this.ctx = ctx;
    return ctx;
  }

  refresh(deep) {
    if (deep) this.stale = true;
    if (!this.visible || !this.width) return;
    if (this.stale) this.draw();
    else this.drawTop();
  }

  draw() {
    if (!this.width) return;
    const start = performance.now();
    this.layOut();
    this.layer(0);
    this.painter.base(this);
    this.stale = false;
    this.drawTop();
    this.element.dataset.drawn = (performance.now() - start).toFixed(1);  // ms, for tests and the curious
  }

  drawTop() {
    const ctx = this.layer(1);
    this.painter.top(this);
    if (this.drag && this.drag.moved) {
      const [a, b] = [this.drag.x, this.drag.now].sort((p, q) => p - q);
      ctx.fillStyle = theme.ink;
      ctx.globalAlpha = 0.12;
      ctx.fillRect(a, this.area.y, b - a, this.area.h);
      ctx.globalAlpha = 1;
    }
  }

  toX(time) {
    const [from, to] = store.view;
    return this.area.x + (time - from) / (to - from) * this.area.w;
  }

  toTime(x) {
    const [from, to] = store.view;
    const share = Math.max(0, Math.min(1, (x - this.area.x) / this.area.w));
    return from + share * (to - from);
  }

  listenToPointer() {
    const top = this.layers[1];
    const place = (event) => {
      const box = top.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    top.addEventListener('pointermove', (event) => {
      const [x, y] = place(event);
      if (this.drag) this.moveDrag(x);
      this.show(this.painter.probe(this, x, y), x, y);
    });
    top.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      const [x] = place(event);
      this.drag = {x, now: x, moved: false};
      try { top.setPointerCapture(event.pointerId); } catch (error) { /* the pointer is gone already */ }
    });
    top.addEventListener('pointerup', () => this.endDrag());
    top.addEventListener('pointercancel', () => { this.drag = null; });
    top.addEventListener('pointerleave', () => this.hide());
    top.addEventListener('dblclick', () => resetZoom());
  }

  moveDrag(x) {
    const low = this.area.x;
    this.drag.now = Math.max(low, Math.min(low + this.area.w, x));
    if (this.painter.timed && Math.abs(this.drag.now - this.drag.x) > CLICK_SLOP) this.drag.moved = true;
  }

  endDrag() {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    if (drag.moved) zoom(this.toTime(drag.x), this.toTime(drag.now));
    else if (this.probed && this.probed.hovered) pick(this.probed.hovered);
  }

  listenToKeys() {
    const top = this.layers[1];
    top.tabIndex = 0;
    top.setAttribute('role', 'img');
    top.setAttribute('aria-label', this.element.querySelector('figcaption').textContent.trim() +
        ' Arrow keys move the cursor, Enter follows a component, plus and minus zoom, Escape resets.');
    top.addEventListener('blur', () => this.hide());
    top.addEventListener('keydown', (event) => {
      if (this.key(event.key)) event.preventDefault();
    });
  }

  key(name) {
    const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    if (name in arrows) {
      const found = this.painter.step(this, ...arrows[name]);
      this.show(found, found && found.x, found && found.y);
      if (found) say(found.title + ': ' + found.rows.map((row) => row[0] + ' ' + row[1]).join(', '));
    } else if (name === 'Enter' || name === ' ') {
      if (this.probed && this.probed.hovered) pick(this.probed.hovered);
    } else if (name === '+' || name === '-') {
      this.zoomAboutCursor(name === '+' ? 0.5 : 2);
    } else {
      return false;
    }
    return true;
  }

  zoomAboutCursor(factor) {
    if (!this.painter.timed) return;
    const [from, to] = store.view;
    const middle = store.cursor === null ? (from + to) / 2 : store.cursor;
    zoom(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }

  show(found, x, y) {
    this.probed = found;
    if (!found) {
      this.hide();
      return;
    }
    change({cursor: found.cursor === undefined ? null : found.cursor, hovered: found.hovered || null});
    const line = (name, value, kind) => {
      const row = document.createElement('div');
      row.className = 'row ' + (kind || '');
      const left = document.createElement('span');
      left.textContent = name;
      const right = document.createElement('b');
      right.textContent = value;
      row.append(left, right);
      return row;
    };
    const title = document.createElement('div');
    title.className = 'title';
    title.textContent = found.title;
    this.tip.replaceChildren(title, ...found.rows.map((row) => line(...row)));
    this.tip.hidden = false;
    const box = this.tip.getBoundingClientRect();
    const left = x + 18 + box.width > this.width ? x - box.width - 18 : x + 18;
    this.tip.style.left = Math.max(0, left) + 'px';
    this.tip.style.top = Math.max(0, Math.min(y - box.height / 2, this.height - box.height)) + 'px';
  }

  hide() {
    this.tip.hidden = true;
    this.probed = null;
    if (store.cursor !== null || store.hovered !== null) change({cursor: null, hovered: null});
  }
}

// Speaks to screen readers.
function say(text) {
  document.getElementById('live').textContent = text;
}
