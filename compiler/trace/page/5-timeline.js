// A run that `minic-bench --trace` timed: put into the page by --trace-page, or
// opened as a file.
function timelinePart(node, levels, fn) {
  if (!levels.planned.nodes.length) return;
  const place = el('div', {role: 'region', 'aria-label': 'Timeline', 'aria-live': 'polite'});
  const input = el('input', {type: 'file', accept: '.json,application/json', id: `${levels.scope}-run`});
  input.addEventListener('change', () => {
    if (!input.files.length) return;
    input.files[0].text().then(text => showRun(place, levels, fn, JSON.parse(text)))
      .catch(() => place.replaceChildren(el('p', {role: 'alert'}, `${input.files[0].name} is not JSON.`)));
  });
  node.append(el('h3', {}, 'Timeline of a run'),
    el('p', {}, el('label', {for: input.id}, 'What minic-bench --trace=run.json wrote: '), input), place);
  const run = JSON.parse(document.getElementById('run').textContent);
  if (run) showRun(place, levels, fn, run);
}
// Its place among the artifacts of the file, or why there is none.
function runOf(levels, fn, run) {
  const artifacts = (run.minic && run.minic.format === 'minic-run-trace' && run.minic.artifacts) || null;
  if (!artifacts) return 'This is no run of minic-bench --trace.';
  const nodes = levels.planned.nodes;
  const process = artifacts.findIndex(a => a.function === fn.name && a.commands.every(c => c.command < nodes.length &&
    nodes[c.command].kind === c.kind));
  return process < 0 ? `This run has no @${fn.name} with the commands of this plan.` : process;
}
function showRun(place, levels, fn, run) {
  const process = runOf(levels, fn, run);
  if (typeof process === 'string') { place.replaceChildren(el('p', {role: 'alert'}, process)); return; }
  const traced = run.minic.artifacts[process];
  const workers = run.traceEvents.filter(e => e.ph === 'X' && e.pid === process && e.tid > 0);
  const rows = 1 + Math.max(0, ...workers.map(e => e.tid));
  const boxes = traced.commands.map(c => ({x0: c.begin_us, x1: c.end_us, y0: rows - .9, y1: rows,
    title: `launch ${c.command}: ${c.label || c.kind}: ${us(c.end_us - c.begin_us)}`,
    tag: tagOf(levels, 'planned', c.command), select: () => select(levels, 'planned', c.command)}));
  for (const e of workers) {
    boxes.push({x0: e.ts, x1: e.ts + e.dur, y0: rows - 1 - e.tid + .1, y1: rows - e.tid, title: `worker ${e.tid - 1}: ${e.name}: ${us(e.dur)}`, tag: {class: 'box worker'}});
  }
  const sum = traced.commands.reduce((total, c) => total + c.median_us, 0);
  const sorted = traced.commands.slice().sort((a, b) => b.median_us - a.median_us);
  const details = el('details', {}, el('summary', {}, `${sorted.length} commands, the most expensive first`));
  details.addEventListener('toggle', () => {
    if (!details.open || details.dataset.filled) return;
    details.dataset.filled = '1';
    const rows = table('Commands of the run', [['launch'], ['what'], ['implementation'], ['begin', 1], ['time', 1], ['share', 1], ['of peak', 1]],
      sorted.map(c => {
        const fusion = c.fusion === null ? null : levels.fused.nodes[c.fusion];
        return [el('button', {type: 'button', onclick: () => select(levels, 'planned', c.command)}, String(c.command)), fusion ? fusion.fusion : c.label || '', c.implementation || c.name || c.kind,
          us(c.begin_us), us(c.median_us), (100 * c.median_us / sum).toFixed(1) + ' %',
          fusion && fusion.commands.length === 1 ? share(fusion.roofline_us, c.median_us) : ''];
      }));
    rows.style.maxHeight = '28rem';
    details.append(rows);
  });
  place.replaceChildren(
    el('p', {}, `${us(traced.span_us)}, the median of ${traced.runs} runs timed by ${traced.clock === 'steady clock' ? 'the steady clock' : traced.clock}; ${us(traced.untraced_us)} without a trace. ` +
      `Commands worked for ${us(traced.busy_us)}, gaps are ${(100 * (1 - traced.busy_us / traced.span_us)).toFixed(1)} %.`),
    boxesChart('Timeline: commands of a run, and workers below', boxes, traced.span_us, rows, us(traced.span_us), rows > 1 ? 'commands, then each worker' : 'commands', 60 + 22 * rows),
    details);
}
