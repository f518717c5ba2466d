// Refreshes the live part of the page while it is visible. Without scripts a link does the same.
const EVERY_MS = 2000;

async function refresh() {
  const live = document.getElementById('live');
  if (!live || document.hidden || live.contains(document.activeElement)) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.getElementById('live');
  if (!fresh || fresh.innerHTML === live.innerHTML) return;
  const now = document.getElementById('count');
  const then = fresh.querySelector('#count');
  live.replaceChildren(...fresh.childNodes);
  // One short sentence is read out, and only when it changed.
  const status = document.getElementById('status');
  if (status && then && now?.textContent !== then.textContent) status.textContent = then.dataset.status ?? '';
}

setInterval(refresh, EVERY_MS);
