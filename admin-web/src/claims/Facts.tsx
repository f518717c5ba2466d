import { type ReactNode, useId } from 'react';
import { Amount, CopyButton, Groups } from '../ui/index.ts';
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

export function PlainFact({ name, isBad, children }: { name: string; isBad?: boolean; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <dt>{name}</dt>
      <dd className={isBad ? css.repeat : undefined}>{children}</dd>
    </div>
  );
}

/** A value to compare or pay to: shown whole, and copied as it is. */
export function Fact({ name, value, kind }: { name: string; value: string; kind?: string }) {
  return (
    <PlainFact name={name}>
      <Groups value={value} kind={kind} />
      <CopyButton value={value} label={name} />
    </PlainFact>
  );
}

type AmountFactProps = { name: string; value: string; ticker: string; copyLabel?: string; isBad?: boolean };

/** An amount; with `copyLabel` it can be copied. */
export function AmountFact({ name, value, ticker, copyLabel, isBad }: AmountFactProps) {
  return (
    <PlainFact name={name} isBad={isBad}>
      <span>
        <Amount value={value} /> {ticker}
      </span>
      {copyLabel && <CopyButton value={value} label={copyLabel} />}
    </PlainFact>
  );
}
