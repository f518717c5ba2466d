import { startTransition, useEffect, useState } from 'react';
import { call } from '../../api/client';
import type { Reserve } from '../../api/types';
import { type Locale, useLocale } from '../../i18n/locale';
import { servedMarket } from '../../served/servedMarket';

const FRESH = 30_000;

let known: { at: number; answer: Promise<Reserve[]> } | null = null;

/** The reserves, loaded at most twice a minute for all components. */
function reserves(locale: Locale): Promise<Reserve[]> {
  if (known === null || performance.now() - known.at > FRESH) {
    const served = servedMarket()?.reserves;
    const answer = served ? Promise.resolve(served) : call(locale, 'GET /calculator/reserves/', { quiet: true });
    known = { at: performance.now(), answer };
    // What cannot be loaded, or is not there yet, may be a moment later.
    const forget = () => {
      known = null;
    };
    known.answer.then((list) => list.length > 0 || forget(), forget);
  }
  return known.answer;
}

/** By currency id; null while they load. */
export function useReserves(): Map<number, string> | null {
  const locale = useLocale();
  const [amounts, setAmounts] = useState<Map<number, string> | null>(null);
  useEffect(() => {
    let current = true;
    reserves(locale).then((list) => {
      if (current) {
        startTransition(() => setAmounts(new Map(list.map(({ id, amount }) => [id, amount]))));
      }
    }, console.error);
    return () => {
      current = false;
    };
  }, [locale]);
  return amounts;
}
