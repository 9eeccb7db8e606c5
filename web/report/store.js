// What all figures of the page share, so that zoom, cursor and the component that one follows are the same
// everywhere. A change redraws once per frame: `view` and `theme` everything, the others the top layer only.

const store = {
  extent: null,   // [from, to] in ms: all there is
  view: null,     // [from, to] in ms: what is shown
  cursor: null,   // ms under the pointer
  hovered: null,  // component under the pointer
  picked: null,   // component that the reader follows
  sick: new Set(),
};

const listeners = [];
let pending = null;

function listen(listener) {
  listeners.push(listener);
}

function change(part) {
  const deep = 'view' in part || 'theme' in part;
  for (const key of Object.keys(part)) {
    if (key in store) store[key] = part[key];
  }
  if (pending) {
    pending.deep = pending.deep || deep;
    return;
  }
  pending = {deep};
  requestAnimationFrame(flush);
}

function flush() {
  if (!pending) return;
  const {deep} = pending;
  pending = null;
  for (const listener of listeners) listener(deep);
}

function zoom(from, to) {
  const [first, last] = store.extent;
  const low = Math.max(first, Math.min(from, to));
  const high = Math.min(last, Math.max(from, to));
  if (high - low >= 2) change({view: [low, high]});
}

function resetZoom() {
  change({view: store.extent});
}

function isZoomed() {
  return store.view[0] !== store.extent[0] || store.view[1] !== store.extent[1];
}

function pick(component) {
  change({picked: component === store.picked ? null : component});
}
