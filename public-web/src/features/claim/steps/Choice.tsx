import type { ReactNode } from 'react';
import css from './steps.module.css';

/** One of the ways the customer can take: what it is called, what it means, and its button. */
export function Choice({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className={css.choice}>
      <h2 className={css.choiceTitle}>{title}</h2>
      <p className={css.choiceText}>{text}</p>
      <div className={css.choiceWay}>{children}</div>
    </li>
  );
}
