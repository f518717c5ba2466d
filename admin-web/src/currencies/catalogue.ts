import type { Schema } from '@agio/client/admin';

export type CatalogueEntry = Schema<'CatalogueEntry'>;

const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
const CYRILLIC = 'йцукенгшщзхъфывапролджэячсмитьбюё';

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('ё', 'е').trim();

type Names = { names: string[]; aliases: string[] };

/** The text as the same keys write it in the other layout: `,bnrjby` is `биткоин`. */
export function otherLayout(text: string): string {
  return [...text.toLowerCase()]
    .map((key) => CYRILLIC[LATIN.indexOf(key)] ?? LATIN[CYRILLIC.indexOf(key)] ?? key)
    .join('');
}

/** How well a word fits, the lower the better; null where it does not. */
function fitOf({ names, aliases }: Names, word: string): number | null {
  const own = placeOf(names, word);
  const other = placeOf(aliases, word);
  const fits = [own, other === null ? null : other + 1.5].filter((one) => one !== null);
  return fits.length === 0 ? null : Math.min(...fits);
}

/** 0 for the whole name, then its beginning, the beginning of a word, and anywhere. */
function placeOf(names: string[], word: string): number | null {
  const places = [
    (name: string) => name === word,
    (name: string) => name.startsWith(word),
    (name: string) => name.includes(` ${word}`),
    (name: string) => name.includes(word),
  ];
  const found = places.findIndex((fits) => names.some(fits));
  return found < 0 ? null : found;
}

function fit(names: Names, query: string): number | null {
  const whole = fitOf(names, query);
  if (whole !== null) return whole;
  const words = query.split(/\s+/).map((word) => fitOf(names, word));
  return words.every((one) => one !== null) ? 6 + Math.max(...words) : null;
}

/** Entries that the query names, typed in either layout: the best first, otherwise in the order of the catalogue. */
export function searchCatalogue(entries: CatalogueEntry[], query: string): CatalogueEntry[] {
  const typed = plain(query);
  if (typed === '') return entries;
  const switched = plain(otherLayout(query));
  const found = entries.flatMap((entry) => {
    const { code, ticker, name, network, aliases } = entry;
    const names = {
      names: [code, ticker, name.ru, name.en, network.ru, network.en].map(plain),
      aliases: aliases.map(plain),
    };
    const asTyped = fit(names, typed);
    const inOther = asTyped ?? fit(names, switched);
    return inOther === null ? [] : [{ entry, rank: inOther + (asTyped === null ? 100 : 0) }];
  });
  return found.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}
