// Two artifacts (format minic-against).
function againstPage() {
  document.title = 'minic explain --against';
  document.getElementById('title').textContent = `A: ${data.a.path} against B: ${data.b.path}`;
  details.remove();
  document.getElementById('columns').style.display = 'block';
  for (const fn of data.comparisons) {
    const node = section(`function-${fn.function}`, `${fn.function} (${fn.target})`);
    node.append(el('p', {}, fn.summary));
    if (!fn.differences.length) { node.append(el('p', {}, 'No difference.')); continue; }
    node.append(table('Differences, the most expensive first', [['fusion'], ['what is other'], ['in A'], ['in B'], ['B - A', 1]],
      fn.differences.map(d => [`${d.fusions.length > 1 ? 'fusions' : 'fusion'} ${d.fusions.join(', ')}: ${d.fusion}`, d.text, d.a || '', d.b || '',
        d.delta_us === null ? 'not measured' : el('span', {class: d.delta_us > 0 ? 'slower' : 'faster'}, `${d.delta_us > 0 ? '+' : '-'}${us(Math.abs(d.delta_us))}`)])));
  }
}
