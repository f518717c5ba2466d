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

/** A style sheet is requested once, by the page or the bundler's loader: lost ones (theme.js) are requested here. */
async function restyle(): Promise<void> {
  if (import.meta.env.SSR || typeof document === 'undefined') return;
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
  // In place of a style sheet, the page of a network that wants its own sign-in is an empty one, and no error.
  const lost = links.filter(({ sheet, dataset }) => dataset.lost === '' || sheet?.cssRules.length === 0);
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
