import { useEffect, useState } from 'react';
import { call } from '../../../api/client';
import { type Locale, useLocale } from '../../../i18n/locale';

const NONE: Map<number, string> = new Map();
const loads = new Map<Locale, Promise<Map<number, string>>>();

function namesIn(locale: Locale): Promise<Map<number, string>> {
  const known = loads.get(locale);
  if (known) {
    return known;
  }
  const load = call(locale, 'GET /calculator/', { quiet: true }).then(
    ({ directions }) => new Map(directions.map(({ id, name }) => [id, name])),
  );
  load.catch(() => loads.delete(locale));
  loads.set(locale, load);
  return load;
}

/** The names of currencies in the other language, so that a search finds them by either. */
export function useOtherNames(): Map<number, string> {
  const other = useLocale() === 'ru' ? 'en' : 'ru';
  const [names, setNames] = useState(NONE);
  useEffect(() => {
    let current = true;
    namesIn(other).then((loaded) => {
      if (current) {
        setNames(loaded);
      }
    }, console.error);
    return () => {
      current = false;
    };
  }, [other]);
  return names;
}
