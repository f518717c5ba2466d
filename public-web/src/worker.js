// The service worker: without a connection, claims seen before stay readable, and other pages say that there is none.
// It shows the notifications that a visitor has turned on, also when no page is open.
const CACHE = `agio-${'BUILD'}`;
const KEPT = ['KEPT'];

/** The readings of a claim that its page shows. */
const CLAIM = /^(?:\/en)?\/api\/v1\/claim\/[0-9a-f-]{36}\/(?:form|status|requisite)\/$/;

/** Readings kept at most; the oldest go first. */
const MOST = 60;

self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(KEPT)));
});

self.addEventListener('activate', (event) => {
  const drop = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith('agio-') && name !== CACHE && name !== 'agio-claims') await caches.delete(name);
    }
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith('/assets/')) event.respondWith(fileOf(request));
  else if (CLAIM.test(pathname)) event.respondWith(claimOf(request));
  else if (request.mode === 'navigate') event.respondWith(pageOf(request, pathname));
});

/** Files are named by their content: a kept one is the right one. */
async function fileOf(request) {
  const known = await caches.match(request);
  if (known) return known;
  const response = await fetch(request);
  if (response.status === 200) {
    const cache = await caches.open(CACHE);
    await cache.put(request, response.clone());
  }
  return response;
}

async function claimOf(request) {
  const cache = await caches.open('agio-claims');
  try {
    const response = await fetch(request);
    if (response.status === 200) {
      await cache.put(request.url, response.clone());
      for (const old of (await cache.keys()).slice(0, -MOST)) await cache.delete(old);
    } else if (response.status === 404) {
      await cache.delete(request.url);
    }
    return response;
  } catch (error) {
    const known = await cache.match(request.url);
    if (known) return known;
    throw error;
  }
}

async function pageOf(request, pathname) {
  try {
    return await fetch(request);
  } catch {
    const prefix = /^\/en(?:\/|$)/.test(pathname) ? '/en' : '';
    const isClaim = /^(?:\/en)?\/claim(?:\/|$)/.test(pathname);
    return (await caches.match(prefix + (isClaim ? '/app.html' : '/offline.html'))) ?? Response.error();
  }
}

self.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(show(event.data.json()));
});

/** A newer message about a claim replaces the older. One that was delivered twice makes no second sound. */
async function show({ title, body, path, tag, language, event }) {
  const shown = await self.registration.getNotifications({ tag });
  const renotify = !shown.some(({ data }) => data.event === event);
  const icon = await siteIcon();
  await self.registration.showNotification(title, { body, tag, lang: language, renotify, icon, data: { path, event } });
}

/** The owner's icon, which the manifest names. */
async function siteIcon() {
  try {
    const response = await fetch('/manifest.webmanifest');
    const { icons } = await response.json();
    return icons[0].src;
  } catch {
    return undefined;
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

/** Only pages of this site are opened; one that is open already comes to the front. */
async function open(path) {
  const address = new URL(path, location.origin);
  if (address.origin !== location.origin) return;
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const known = pages.find(({ url }) => new URL(url).pathname === address.pathname);
  await (known ? known.focus() : self.clients.openWindow(address.href));
}
