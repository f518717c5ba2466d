import type { ReactNode } from 'react';
import css from './Kbd.module.css';

/** The key that does the same. Shown only where a keyboard is likely. */
export const Kbd = ({ children }: { children: ReactNode }) => (
  <span className={css.key} aria-hidden="true">
    {children}
  </span>
);
