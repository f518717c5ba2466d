import type { ReactNode } from 'react';
import css from './Facts.module.css';

/** A name with its value; falsy ones are skipped. */
export type Fact = [name: string, value: ReactNode] | false | null;

/** Names with their values: side by side, as cards of text, or as small cards of numbers. */
export function Facts({ facts, look = 'lines' }: { facts: Fact[]; look?: 'lines' | 'cards' | 'numbers' }) {
  return (
    <dl className={css[look]}>
      {facts
        .filter((fact) => fact !== null && fact !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
