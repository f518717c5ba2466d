import type { ReactNode } from 'react';
import css from './steps.module.css';

/** An option of the customer: its name, its meaning, and its button where it can be chosen here. */
export function Choice({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <li className={css.choice}>
      <h2 className={css.choiceTitle}>{title}</h2>
      <p className={css.choiceText}>{text}</p>
      {children && <div className={css.choiceWay}>{children}</div>}
    </li>
  );
}
