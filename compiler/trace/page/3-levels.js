// The model at three levels, and what is linked to what. A key names an entry:
// level (captured, fused, planned) and number, of one function and variant.
function levelsOf(fn, variant) {
  return {captured: fn.captured, fused: variant.fused, planned: variant.planned || {nodes: [], repeats: []}};
}
function linksOf(levels, level, id) {
  let fusions = new Set();
  if (level === 'captured') fusions = new Set(levels.captured.nodes[id].fusions[levels.variant] || []);
  else if (level === 'fused') fusions.add(id);
  else fusions = new Set(levels.planned.nodes[id].fusions);
  const captured = new Set(level === 'captured' ? [id] : []);
  const planned = new Set(level === 'planned' ? [id] : []);
  for (const fusion of fusions) {
    const node = levels.fused.nodes[fusion];
    node.commands.forEach(command => planned.add(command));
    if (level !== 'captured') node.ops.forEach(op => captured.add(op));
  }
  return {captured, fused: fusions, planned};
}
const titles = {captured: 'Captured', fused: 'Fused', planned: 'Planned'};
function nameOf(levels, level, id) {
  const node = levels[level].nodes[id];
  return level === 'captured' ? `op ${id}: ${node.op} ${node.result}`
    : level === 'fused' ? `fusion ${id}: ${node.fusion}` : `launch ${id}: ${node.what || node.kind}`;
}
function linkButtons(levels, level, ids) {
  return list([...ids].map(id => el('button', {type: 'button', onclick: () => select(levels, level, id)}, nameOf(levels, level, id))));
}
function tagOf(levels, level, id) {
  return {'data-key': `${levels.scope}-${level}-${id}`};
}
// A picture shows one repetition of each stretch of layers; which, says its
// <select>.
function endOf(stretch) {
  return stretch.begin + stretch.period * stretch.count;
}
function stretchOf(graph, id) {
  return graph.repeats.findIndex(r => id >= r.begin && id < endOf(r));
}
function shownAs(graph, id, repetitions) {
  const at = stretchOf(graph, id);
  return at < 0 ? id : id + repetitions[at] * graph.repeats[at].period;
}
function select(levels, level, id) {
  document.querySelectorAll('.linked').forEach(node => node.classList.remove('linked'));
  const links = linksOf(levels, level, id);
  for (const kind of ['captured', 'fused', 'planned']) {
    const view = levels.views[kind];
    const first = [...links[kind]][0];
    if (first !== undefined) view.open(first);
    for (const other of links[kind]) {
      document.querySelectorAll(`[data-key="${levels.scope}-${kind}-${other}"]`).forEach(node => {
        node.classList.add('linked');
        if (node.matches('.dot')) node.parentNode.append(node); // above equal ones
      });
    }
    view.mark(links[kind]);
  }
  showDetails(levels, level, id, links);
}
function showDetails(levels, level, id, links) {
  const node = levels[level].nodes[id];
  const parts = [el('h2', {}, `${titles[level]}: ${nameOf(levels, level, id)}`)];
  if (level === 'captured') {
    parts.push(facts([['place', node.place], ['operands', node.operands.join(', ')]]));
    if ((node.by_users || [])[levels.variant]) parts.push(el('p', {class: 'soft'}, 'A pass moved or folded this op into what uses it.'));
    if (!links.fused.size) parts.push(el('p', {class: 'soft'}, 'Nothing computes this op: it is a view, or nothing is left of it.'));
  } else if (level === 'fused') {
    parts.push(fusionFacts(node));
    parts.push(el('p', {}, el('a', {href: `#${levels.scope}-offer-${node.offer}`}, 'Candidates')));
  } else {
    parts.push(facts([['kind', node.kind], ['kernel', node.name], ['grid', node.grid && node.grid.join(' x ')], ['waits for', node.inputs.join(', ')]]));
  }
  for (const kind of ['captured', 'fused', 'planned']) {
    if (kind === level || !links[kind].size) continue;
    parts.push(el('h3', {}, {captured: 'Ops', fused: links.fused.size > 1 ? 'Fusions' : 'Fusion', planned: 'Launches'}[kind]), linkButtons(levels, kind, links[kind]));
  }
  details.replaceChildren(...parts);
}
function percentSlower(ratio) {
  return `${Math.abs(100 * (ratio - 1)).toFixed(1)} % ${ratio < 1 ? 'faster' : 'slower'}`;
}
function fusionFacts(node) {
  const part = share(node.roofline_us, node.time_us);
  const time = node.time_us ? us(node.time_us) + (part ? `, ${part} of the estimated peak` : '') : 'not measured';
  return el('div', {}, facts([['implemented by', node.implementation], ['launches', String(node.parts)], ['chosen by', node.chosen_by],
    ['why', node.reason], ['time', time], ['least possible', us(node.roofline_us)],
    ['error', node.verified ? `${node.verified.max_absolute_error.toExponential(1)}, ${node.verified.error_over_tolerance.toPrecision(3)} of its tolerance` : 'not verified'],
    ['runner-up', node.runner_up ? `${node.runner_up.candidate}, ${percentSlower(node.runner_up.time_ratio)}` : null],
    ['lost', node.lost]]),
    node.apart.length ? el('div', {}, el('h3', {}, 'Not fused with'), list(node.apart.map(a => `fusion ${a.fusion}: ${a.reason}`))) : '');
}
function levelView(parent, levels, level, note, columns, cells) {
  const graph = levels[level];
  const box = el('section', {'aria-label': titles[level]}, el('h3', {}, `${titles[level]} (${graph.nodes.length})`), el('p', {class: 'soft'}, note));
  const template = document.getElementById(`picture-${levels.pictures[level]}`);
  const picture = template && template.content.firstElementChild ? template.content.firstElementChild.cloneNode(true) : null;
  const repetitions = graph.repeats.map(() => 0), choosers = [];
  let marked = new Set();
  const nodes = [];
  function remark() {
    for (const [node, id] of nodes) {
      const shown = shownAs(graph, id, repetitions);
      node.classList.toggle('linked', marked.has(shown));
      node.setAttribute('aria-label', nameOf(levels, level, shown));
    }
  }
  if (picture) {
    picture.setAttribute('role', 'group');
    picture.setAttribute('aria-label', `${titles[level]} graph`);
    picture.querySelectorAll('title').forEach(title => title.remove());
    picture.querySelectorAll('g.node').forEach(node => {
      const id = Number(node.id.slice(node.id.lastIndexOf('-') + 1));
      const pick = () => select(levels, level, shownAs(graph, id, repetitions));
      node.setAttribute('tabindex', '0');
      node.setAttribute('role', 'button');
      node.addEventListener('click', pick);
      node.addEventListener('keydown', event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); pick(); }
      });
      nodes.push([node, id]);
    });
    graph.repeats.forEach((r, at) => {
      const chooser = el('select', {id: `${levels.scope}-${level}-repetition${at}`}, ...Array.from({length: r.count},
        (_, i) => el('option', {value: String(i)}, `${i + 1} of ${r.count}`)));
      chooser.addEventListener('change', () => { repetitions[at] = Number(chooser.value); remark(); });
      choosers.push(chooser);
      const which = graph.repeats.length > 1 ? `the layers from ${r.begin} to ${endOf(r) - 1}` : 'the layers';
      box.append(el('p', {}, el('label', {for: chooser.id}, `The picture shows one repetition of ${which}: `), chooser));
    });
    box.append(el('div', {class: 'scroll picture'}, picture));
  }
  const body = [], groups = [];
  const row = id => el('tr', tagOf(levels, level, id), ...cells(graph.nodes[id], el('button', {type: 'button', onclick: () => select(levels, level, id)}, String(id)))
    .map((cell, i) => el(i ? 'td' : 'th', {scope: i ? null : 'row', class: columns[i][1] ? 'n' : null}, cell)));
  const count = graph.nodes.length;
  const rows = (begin, end) => el('tbody', {}, ...Array.from({length: end - begin}, (_, i) => row(begin + i)));
  const rowsOfStretch = (r, at) => Array.from({length: r.count}, (_, i) => {
    const begin = r.begin + i * r.period, end = begin + r.period;
    let filled = null;
    const content = el('tbody', {hidden: '', id: `${levels.scope}-${level}-group${at}-${i}`});
    const button = el('button', {type: 'button', 'aria-expanded': 'false', 'aria-controls': content.id});
    const toggle = open => {
      if (open && !filled) { filled = rows(begin, end); content.append(...filled.children); }
      content.hidden = !open;
      button.setAttribute('aria-expanded', String(open));
      button.textContent = `${open ? 'Hide' : 'Show'} repetition ${i + 1} of ${r.count} (${begin} to ${end - 1})`;
    };
    button.addEventListener('click', () => toggle(content.hidden));
    toggle(i === 0);
    body.push(el('tbody', {}, el('tr', {class: 'group'}, el('th', {colspan: String(columns.length), scope: 'rowgroup'}, button))), content);
    return toggle;
  });
  let next = 0;
  graph.repeats.forEach((r, at) => {
    if (r.begin > next) body.push(rows(next, r.begin));
    groups.push(rowsOfStretch(r, at));
    next = endOf(r);
  });
  if (next < count) body.push(rows(next, count));
  box.append(el('details', {open: level === 'fused' ? '' : null}, el('summary', {}, `All ${count} as a table`), el('div', {class: 'scroll', style: 'max-height:28rem', tabindex: '0', role: 'region', 'aria-label': `${titles[level]} table`},
    el('table', {}, el('thead', {}, el('tr', {}, ...columns.map(([title, n]) => el('th', {scope: 'col', class: n ? 'n' : null}, title)))), ...body))));
  parent.append(box);
  return {
    open(id) {
      const at = stretchOf(graph, id);
      if (at < 0) return;
      const r = graph.repeats[at];
      repetitions[at] = Math.floor((id - r.begin) / r.period);
      groups[at][repetitions[at]](true);
      if (choosers.length) choosers[at].value = String(repetitions[at]);
    },
    mark(ids) { marked = ids; remark(); }
  };
}
