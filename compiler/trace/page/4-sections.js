// The sections of a trace.
function modelSection(fn, variant, f, v) {
  const scope = `f${f}v${v}`;
  const what = [fn.name, variant.target, ...(variant.target === 'cuda' ? variant.isa : [])].join(' ');
  const node = section(scope, `Model: ${what}`);
  const levels = {...levelsOf(fn, variant), scope, variant: v, views: {},
    pictures: {captured: `f${f}-captured`, fused: `${scope}-fused`, planned: `${scope}-planned`}};
  node.append(facts([['decided for', variant.device], ['threads', String(variant.threads)], ['whole model', variant.whole_model], ['graph', variant.graph]]));
  variant.layouts.forEach(text => node.append(el('p', {}, `images: ${text}`)));
  const hints = new Map();
  variant.hints.forEach(text => hints.set(text, (hints.get(text) || 0) + 1));
  if (hints.size) node.append(el('details', {}, el('summary', {}, `${hints.size} hints`), list([...hints].map(([text, n]) => n > 1 ? `${text} (${n} fusions)` : text))));
  levels.views.captured = levelView(node, levels, 'captured', 'The ops that the model has.', [['op'], ['what'], ['result'], ['place']],
    (n, button) => [button, n.op, n.result, n.place || '']);
  levels.views.fused = levelView(node, levels, 'fused', 'What is computed together, and what was chosen for it.', [['fusion'], ['what'], ['implementation'], ['launches', 1], ['time', 1], ['of peak', 1]],
    (n, button) => [button, n.fusion, n.candidate || n.implementation, String(n.parts), us(n.time_us), share(n.roofline_us, n.time_us)]);
  levels.views.planned = levelView(node, levels, 'planned', 'Commands in the order of a run.', [['launch'], ['what'], ['kernel or kind'], ['grid', 1]],
    (n, button) => [button, n.what, n.name || n.kind, n.grid ? n.grid.join(' x ') : '']);
  node.append(el('h3', {}, 'Roofline'));
  const points = variant.fused.nodes.filter(n => n.flops > 0 && n.bytes > 0 && (n.time_us || n.roofline_us)).map(n => ({
    x: n.flops / n.bytes, y: n.flops / (n.time_us || n.roofline_us) / 1e3, measured: !!n.time_us,
    title: `fusion ${n.id}: ${n.fusion}: ${n.time_us ? us(n.time_us) : 'not measured, at its estimated peak'}`,
    tag: tagOf(levels, 'fused', n.id), select: () => select(levels, 'fused', n.id)}));
  const peak = Math.max(variant.peak_gflops, ...variant.fused.nodes.map(n => n.peak_gflops || 0));
  if (points.length && peak > 0 && variant.memory_gbs > 0) {
    node.append(el('p', {class: 'soft'}, 'One dot for each fusion; a hollow one was not measured and lies on its estimated roof. What the caches hold may be above the slope. The table of fusions has the figures.'), rooflineChart(points, peak, variant.memory_gbs));
  } else node.append(el('p', {}, 'The peaks of this device are not known.'));
  arenaPart(node, levels);
  timelinePart(node, levels, fn);
  candidatesPart(node, levels, variant);
}
function arenaPart(node, levels) {
  const plan = levels.planned;
  if (!plan.buffers) return;
  node.append(el('h3', {}, 'Arena over time'), el('p', {}, `${bytes(plan.arena_bytes)} for ${plan.buffers.length} buffers; ${bytes(plan.live_bytes)} are needed at once at least.`));
  const end = Math.max(1, plan.nodes.length);
  if (plan.arena_bytes) node.append(boxesChart('Arena: bytes against commands', plan.buffers.filter(b => b.offset !== null).map(b => ({x0: b.first, x1: b.last + 1, y0: b.offset, y1: b.offset + b.bytes,
    title: `${bytes(b.bytes)} at ${b.offset}, from launch ${b.first} to ${b.last}`, tag: tagOf(levels, 'planned', b.first), select: () => select(levels, 'planned', b.first)})),
    end, plan.arena_bytes, 'commands, in their order', bytes(plan.arena_bytes)));
  node.append(el('details', {}, el('summary', {}, 'Buffers as a table'), table('Buffers of the arena', [['offset', 1], ['bytes', 1], ['first launch', 1], ['last launch', 1]],
    plan.buffers.map(b => [b.offset === null ? '' : String(b.offset), String(b.bytes), String(b.first), String(b.last)]))));
}
const tunedProblems = new Map();
for (const tuning of data.tuning || []) {
  for (const problem of (tuning.report || {}).problems || []) tunedProblems.set(problem.record.problem, problem);
}
// Finalists first, which were timed beside each other; then those that the screen timed
// alone, whose times are no match for them; then those that never ran.
function autotuneTable(problem) {
  const group = row => row.time_us ? 0 : row.screen_us ? 1 : 2;
  const rows = problem.record.rows.slice().sort((a, b) => group(a) - group(b) || (a.time_us || a.screen_us) - (b.time_us || b.screen_us));
  const samples = rows.flatMap(r => r.samples_us || []);
  const low = Math.min(...samples), high = Math.max(...samples);
  const best = rows.find(r => r.name === problem.chosen);
  const bestUs = best && (best.time_us || best.screen_us);
  return table(`AUTOTUNE ${problem.record.description}: ${problem.reason}`,
    [['candidate'], ['time', 1], ['+-', 1], ['speed', 1], ['spread of samples'], ['error', 1], ['what became of it']],
    rows.map(r => {
      const time = r.time_us || r.screen_us;
      return [r.name, us(time || null), r.time_us && r.time_error ? (100 * r.time_error).toFixed(1) + ' %' : time ? 'screen' : '',
        time && bestUs ? (100 * bestUs / time).toFixed(1) + ' %' : '',
        (r.samples_us || []).length ? samplesChart(r.samples_us, r.time_us, low, high) : '',
        r.status === 'verified' ? r.max_absolute_error.toExponential(1) : '', r.name === problem.chosen ? 'chosen' : r.status + (r.reason ? ': ' + r.reason : '')];
    }), at => rows[at].name === problem.chosen ? 'chosen' : rows[at].status === 'verified' ? null : 'reject');
}
function candidatesPart(node, levels, variant) {
  node.append(el('h3', {}, 'Candidates'));
  variant.offers.forEach((offer, at) => {
    const of = variant.fused.nodes.filter(n => n.offer === at);
    if (!of.length) return;
    const problem = tunedProblems.get(of[0].problem);
    const box = el('details', {id: `${levels.scope}-offer-${at}`}, el('summary', {}, `${of[0].fusion}: ${of.length > 1 ? of.length + ' fusions, ' : ''}${problem ? problem.record.rows.length + ' measured or refused' : offer.candidates + ' estimated'}`));
    box.addEventListener('toggle', () => {
      if (!box.open || box.dataset.filled) return;
      box.dataset.filled = '1';
      if (problem) box.append(autotuneTable(problem));
      else box.append(table('Candidates by estimate; nothing was measured', [['candidate'], ['label'], ['launches', 1], ['estimate', 1]],
        offer.rows.map(r => [r.candidate, r.label, String(r.launches), us(r.estimate_us)])));
      if (offer.refused.length) box.append(el('h3', {}, 'Refused'), list(offer.refused));
      box.append(el('h3', {}, 'Fusions'), linkButtons(levels, 'fused', of.map(n => n.id)));
    });
    node.append(box);
  });
}
function tuningSection() {
  const node = section('seconds', 'Where the seconds went');
  node.append(table('Phases of this compilation', [['phase'], ['ms', 1]], data.phases.map(p => [p.phase, p.ms.toFixed(1)])));
  const longest = Math.max(...data.phases.map(p => p.ms), 1e-3);
  let at = 0;
  const whole = data.phases.reduce((sum, p) => sum + p.ms, 0) || 1;
  node.append(boxesChart('Phases one after the other', data.phases.map(p => ({x0: at, x1: at += p.ms, y0: 0, y1: 1, title: `${p.phase}: ${p.ms.toFixed(1)} ms`})), whole, 1, (whole / 1e3).toFixed(2) + ' s', '', 70));
  for (const tuning of data.tuning) {
    if (tuning.costs) node.append(el('p', {}, tuning.costs));
    const problems = (tuning.report || {}).problems || [];
    if (problems.length) node.append(table('Tuning, seconds of each problem', [['problem'], ['measured now'], ['candidates', 1], ['build (core-s)', 1], ['verify', 1], ['measure', 1]],
      problems.map(p => [p.record.description, p.measured ? 'yes' : 'from the database', String(p.record.rows.length), p.record.build_seconds.toFixed(2), p.record.verify_seconds.toFixed(2), p.record.measure_seconds.toFixed(2)])));
  }
  if (!data.tuning.length) node.append(el('p', {class: 'soft'}, 'Nothing was tuned: --mode=max-autotune measures candidates.'));
  return longest;
}
