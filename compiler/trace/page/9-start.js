// Which page this is.
if (data.format === 'minic-against') againstPage();
else {
  document.title = `minic trace of ${data.model}`;
  document.getElementById('title').textContent = data.model;
  document.getElementById('subtitle').textContent = `${data.compiler}: the model as captured, fused and planned, and why.`;
  if (data.missing_pictures) main.append(el('p', {id: 'missing-pictures', role: 'note'}, data.missing_pictures + '.'));
  data.functions.forEach((fn, f) => fn.variants.forEach((variant, v) => modelSection(fn, variant, f, v)));
  tuningSection();
}
document.body.dataset.ready = '1';
