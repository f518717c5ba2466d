import { useTheme as useMuiTheme } from '@mui/material/styles';
import { useEffect } from 'react';

/** Where react-admin keeps the choice of the theme. */
const REMEMBERED = 'RaStore.theme';

function show(scheme: 'light' | 'dark'): void {
  document.documentElement.dataset.theme = scheme;
}

/** Before the first paint, so that a dark console does not flash white. */
export function showRememberedTheme(): void {
  let remembered: string | null = null;
  try {
    remembered = localStorage.getItem(REMEMBERED);
  } catch {
    // Without storage the system decides.
  }
  const dark = remembered ? remembered.includes('dark') : matchMedia('(prefers-color-scheme: dark)').matches;
  show(dark ? 'dark' : 'light');
}

/** Keeps our own tokens on the scheme MUI is drawn in. */
export function useSchemeOfPage(): void {
  const { mode } = useMuiTheme().palette;
  useEffect(() => show(mode), [mode]);
}
