// Puts the exchange's calculator after its own tag:
// <script async src="https://exchange.example/embed.js" data-from="BTC" data-to="SBERRUB" data-rid="CODE"></script>
(() => {
  const { currentScript: script } = document;
  const { origin } = new URL(script.src);
  const address = new URL('/embed', origin);
  for (const name of ['from', 'to', 'amount', 'rid', 'theme', 'lang']) {
    if (script.dataset[name]) address.searchParams.set(name, script.dataset[name]);
  }
  const frame = document.createElement('iframe');
  frame.src = address.href;
  frame.title = script.dataset.lang === 'en' ? 'Exchange calculator' : 'Калькулятор обмена';
  frame.loading = 'lazy';
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox');
  Object.assign(frame.style, { display: 'block', width: '100%', height: '320px', border: '0' });
  if (Number(script.dataset.width) > 0) frame.style.maxWidth = `${Number(script.dataset.width)}px`;
  addEventListener('message', (event) => {
    if (event.origin !== origin || event.source !== frame.contentWindow) return;
    const height = Number(event.data?.calculatorHeight);
    if (height > 0 && height < 2000) frame.style.height = `${Math.ceil(height)}px`;
  });
  script.after(frame);
})();
