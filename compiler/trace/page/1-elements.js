'use strict';
// Elements and figures. All text goes in as text, never as markup.
const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');
const details = document.getElementById('details');

function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') node.addEventListener('click', value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}
function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
function us(value) {
  if (value === null || value === undefined) return '';
  return value >= 1000 ? (value / 1000).toFixed(3) + ' ms' : value.toPrecision(4) + ' us';
}
function bytes(value) {
  if (value === null || value === undefined) return '';
  if (value >= 1 << 20) return (value / (1 << 20)).toFixed(1) + ' MiB';
  return value >= 1024 ? (value / 1024).toFixed(1) + ' KiB' : value + ' B';
}
function share(part, whole) {
  return part && whole ? (100 * part / whole).toFixed(0) + ' %' : '';
}
function section(id, title) {
  document.getElementById('nav').append(el('a', {href: '#' + id}, title), ' ');
  const node = el('section', {id, 'aria-labelledby': id + '-title'},
                  el('h2', {id: id + '-title'}, title));
  main.append(node);
  return node;
}
// columns: [title, isNumber]; rows: arrays of text or nodes.
function table(caption, columns, rows, rowClass = () => null) {
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
    el('table', {}, el('caption', {}, caption),
      el('thead', {}, el('tr', {}, ...columns.map(([title, n]) =>
        el('th', {scope: 'col', class: n ? 'n' : null}, title)))),
      el('tbody', {}, ...rows.map((row, at) =>
        el('tr', {class: rowClass(at)}, ...row.map((cell, i) =>
          el('td', {class: columns[i][1] ? 'n' : null}, cell)))))));
}
function list(items) {
  return el('ul', {}, ...items.map(item => el('li', {}, item)));
}
function facts(pairs) {
  return el('dl', {}, ...pairs.filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}
function chart(width, height, title, ...children) {
  return svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, width: '100%',
                     style: `max-width:${width}px`, role: 'img', 'aria-label': title}, ...children);
}
function hint(node, text) {
  node.append(svg('title', {}, text));
  return node;
}
