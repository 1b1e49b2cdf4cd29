// Pictures of figures. Each has a table with the same figures beside it.
// Powers of ten, and their double and fivefold where there would be one or none.
function ticks(low, high, parts = [1]) {
  const result = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    result.push(...parts.map(part => Number(`${part}e${power}`)).filter(value => value >= low && value <= high));
  }
  return result.length > 1 || parts.length > 1 ? result : ticks(low, high, [1, 2, 5]);
}
// points: {x: flops a byte, y: GFLOP/s, measured, title, tag, select}
function rooflineChart(points, peak, memory) {
  const width = 720, height = 330, left = 62, bottom = 44, top = 14, right = 14;
  const xs = points.map(p => p.x).concat([peak / memory]);
  const ys = points.map(p => p.y).concat([peak]);
  const x0 = Math.min(...xs) / 2, x1 = Math.max(...xs) * 2;
  const y0 = Math.min(...ys) / 2, y1 = Math.max(...ys) * 1.6;
  const px = x => left + (width - left - right) * Math.log(x / x0) / Math.log(x1 / x0);
  const py = y => height - bottom - (height - bottom - top) * Math.log(y / y0) / Math.log(y1 / y0);
  const roof = [[x0, Math.max(y0, x0 * memory)], [peak / memory, peak], [x1, peak]];
  const parts = [
    svg('path', {class: 'axis', d: `M${left} ${top}V${height - bottom}H${width - right}`}),
    svg('path', {class: 'roof', d: 'M' + roof.map(([x, y]) => px(x) + ' ' + py(y)).join('L')}),
    svg('text', {x: (left + width) / 2, y: height - 8, 'text-anchor': 'middle', 'font-size': 12}, 'operations a byte'),
    svg('text', {x: 14, y: height / 2, transform: `rotate(-90 14 ${height / 2})`, 'text-anchor': 'middle', 'font-size': 12}, 'GFLOP/s'),
    ...ticks(x0, x1).map(x => svg('text', {x: px(x), y: height - bottom + 15, 'font-size': 11, 'text-anchor': 'middle'}, String(x))),
    ...ticks(y0, y1).map(y => svg('text', {x: left - 5, y: py(y) + 4, 'font-size': 11, 'text-anchor': 'end'}, String(y)))];
  for (const point of points) {
    const dot = hint(svg('circle', {class: 'dot' + (point.measured ? '' : ' none'), cx: px(point.x), cy: py(Math.max(point.y, y0)), r: 6, ...point.tag}), point.title);
    dot.addEventListener('click', point.select);
    parts.push(dot);
  }
  return chart(width, height, 'Roofline: speed against operations a byte, with the estimated peaks', ...parts);
}
// Rows of samples on one scale.
function samplesChart(samples, median, low, high) {
  const width = 180, height = 18;
  const at = value => 4 + (width - 8) * (high > low ? (value - low) / (high - low) : .5);
  return chart(width, height, `samples from ${us(Math.min(...samples))} to ${us(Math.max(...samples))}`,
    svg('path', {class: 'axis', d: `M4 ${height / 2}H${width - 4}`}),
    ...samples.map(value => svg('circle', {class: 'sample', cx: at(value), cy: height / 2, r: 3})),
    svg('path', {class: 'median', d: `M${at(median)} 2V${height - 2}`}));
}
// boxes: {x0, x1, y0, y1, title, tag, select} in units of the axes.
function boxesChart(title, boxes, xEnd, yEnd, xLabel, yLabel, height = 260) {
  const width = 900, left = 8, bottom = 24, top = 16;
  const px = x => left + (width - 2 * left) * x / xEnd;
  const py = y => height - bottom - (height - bottom - top) * y / yEnd;
  const parts = [svg('path', {class: 'axis', d: `M${left} ${top}V${height - bottom}H${width - left}`}),
    svg('text', {x: width - left, y: height - 7, 'font-size': 12, 'text-anchor': 'end'}, xLabel),
    svg('text', {x: left + 4, y: 12, 'font-size': 12}, yLabel)];
  for (const box of boxes) {
    const rect = hint(svg('rect', {class: 'box', x: px(box.x0), y: py(box.y1),
      width: Math.max(1, px(box.x1) - px(box.x0)), height: Math.max(1, py(box.y0) - py(box.y1)), ...box.tag}), box.title);
    if (box.select) rect.addEventListener('click', box.select);
    parts.push(rect);
  }
  return chart(width, height, title, ...parts);
}
