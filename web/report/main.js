// Puts a figure wherever the page asks for one.

const PAINTERS = {peers: PeerPlot, distributions: DistributionPlot, maps: ScoreMap};

function extentOf(data) {
  let [from, to] = [Infinity, -Infinity];
  const take = (item, tail) => {
    if (item.times.length === 0) return;
    from = Math.min(from, item.t0);
    to = Math.max(to, item.t0 + item.times[item.times.length - 1] + tail);
  };
  for (const item of data.peers) take(item, 0);
  for (const item of data.maps) take(item, item.length);
  return to > from ? [from, to] : [0, 1];
}

function main() {
  const data = readJson('plots');
  readTheme();
  store.extent = extentOf(data);
  store.view = store.extent;
  for (const item of data.peers) if (item.sick) store.sick.add(item.sick);
  const figures = [...document.querySelectorAll('figure[data-kind]')].map((element) => {
    const {kind, index} = element.dataset;
    return new Figure(element, new PAINTERS[kind](data[kind][Number(index)]));
  });
  wireComponents();
  wireLongTables();
  wireZoomBar();
  const retheme = () => {
    readTheme();
    change({theme: true});
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', retheme);
  // Paper is white, whatever the screen; and all of it is seen at once.
  const forPaper = (on) => {
    document.documentElement.classList.toggle('paper', on);
    readTheme();
    for (const figure of figures) figure.draw();
  };
  window.addEventListener('beforeprint', () => forPaper(true));
  window.addEventListener('afterprint', () => forPaper(false));
  document.documentElement.classList.add('live');
}

main();
