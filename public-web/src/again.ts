import { NetworkError } from '@agio/client/problem';
import { untilConnected } from './api/connection';

/** Pauses between attempts, in milliseconds; the last one is repeated. */
const PAUSES = [300, 1000, 2000, 4000];

/** Loads code or texts, several times if the network loses them. Throws a NetworkError in the end. */
export async function again<T>(load: () => Promise<T>, attempts = PAUSES.length + 1): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const loaded = await load();
      await restyle();
      return loaded;
    } catch (error) {
      if (attempt >= attempts) throw new NetworkError('A part of the page is missing', { cause: error });
      await untilConnected(PAUSES[Math.min(attempt, PAUSES.length) - 1] ?? 0);
    }
  }
}

/** The bundler's loader requests a style sheet once, so lost ones are requested here. */
async function restyle(): Promise<void> {
  if (import.meta.env.SSR || typeof document === 'undefined') return;
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
  const lost = links.filter(({ sheet, dataset }) => sheet === null && dataset.lost === '');
  await Promise.all(
    lost.map(
      (link) =>
        new Promise((resolve, reject) => {
          const next = link.cloneNode() as HTMLLinkElement;
          delete next.dataset.lost;
          next.addEventListener('load', resolve);
          next.addEventListener('error', reject);
          link.replaceWith(next);
        }),
    ),
  );
}

/** Marks style sheets that did not arrive. */
export function watchStyles(): void {
  document.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') {
        target.dataset.lost = '';
      }
    },
    true,
  );
}
