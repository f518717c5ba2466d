// The part of the page that lives is taken anew while somebody looks at it. Without this there is a link that does the same.
const EVERY_MS = 2000;

async function lookAgain() {
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
  const told = document.getElementById('told');
  if (told && then && now?.textContent !== then.textContent) told.textContent = then.dataset.told ?? '';
}

setInterval(lookAgain, EVERY_MS);
