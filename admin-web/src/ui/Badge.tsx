import css from './Badge.module.css';
import { initials } from './format.ts';

/** A colleague as two letters: filled for oneself. */
export const Badge = ({ name, mine }: { name: string; mine?: boolean }) => (
  <span className={mine ? css.mine : css.other} title={name}>
    <span aria-hidden="true">{initials(name)}</span>
    <span className="visually-hidden">{name}</span>
  </span>
);
