import { useMemo } from 'react';
import { pathsFor } from '../paths';
import { useLocale } from './locale';

export function usePaths() {
  const locale = useLocale();
  return useMemo(() => pathsFor(locale), [locale]);
}
