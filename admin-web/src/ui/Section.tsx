import type { ReactNode } from 'react';
import css from './Table.module.css';

/** A part of a screen under a heading of its own. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{title}</h2>
      </div>
      {children}
    </section>
  );
}
