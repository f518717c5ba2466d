import { useMemo } from 'react';
import { pathsFor } from '../paths';
import { useLocale } from './locale';

/** The addresses of the site in the language of the page. */
export function usePaths() {
  const locale = useLocale();
  return useMemo(() => pathsFor(locale), [locale]);
}
