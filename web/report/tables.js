// Component names in tables are buttons that follow the component through all figures; long rankings open on demand.

function wireComponents() {
  const buttons = [...document.querySelectorAll('button[data-component]')];
  for (const button of buttons) {
    button.addEventListener('click', () => pick(button.dataset.component));
    button.addEventListener('pointerenter', () => change({hovered: button.dataset.component}));
    button.addEventListener('pointerleave', () => change({hovered: null}));
  }
  listen(() => {
    for (const button of buttons) {
      const on = button.dataset.component === store.picked;
      if (button.getAttribute('aria-pressed') !== String(on)) button.setAttribute('aria-pressed', String(on));
    }
  });
}

function wireLongTables() {
  for (const button of document.querySelectorAll('button[data-more]')) {
    const table = document.getElementById(button.dataset.more);
    table.classList.add('short');
    button.hidden = false;
    button.addEventListener('click', () => {
      table.classList.remove('short');
      button.remove();
    });
  }
}

function wireZoomBar() {
  const bar = document.getElementById('zoom');
  bar.querySelector('button').addEventListener('click', resetZoom);
  listen(() => {
    bar.hidden = !isZoomed();
    bar.querySelector('span').textContent = moment(store.view[0]) + ' to ' + moment(store.view[1]);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    if (isZoomed()) resetZoom();
    else change({picked: null});
  });
}
