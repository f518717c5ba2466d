import type { ReactNode } from 'react';
import css from './Table.module.css';

type Props = { title: string; actions?: ReactNode; children: ReactNode };

/** A part of a screen under a heading of its own, with what can be done beside it. */
export function Section({ title, actions, children }: Props) {
  return (
    <section aria-label={title}>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
