import { type ReactNode, useId } from 'react';
import { CopyButton, Groups } from '../ui/Copy.tsx';
import css from './Facts.module.css';

export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={css.section} aria-labelledby={id}>
      <header className={css.head}>
        <h2 id={id} className={css.title}>
          {title}
        </h2>
        {aside && <span className={css.aside}>{aside}</span>}
      </header>
      {children}
    </section>
  );
}

/** A value to compare or pay to: shown whole, and copied as it is. */
export function Fact({ name, value, kind }: { name: string; value: string; kind?: string }) {
  return (
    <div className={css.fact}>
      <dt>{name}</dt>
      <dd>
        <Groups value={value} kind={kind} />
        <CopyButton value={value} label={name} />
      </dd>
    </div>
  );
}
