import css from './Badge.module.css';
import { initials } from './format.ts';

/** The initials of a staff member: filled for oneself. */
export const Badge = ({ name, mine }: { name: string; mine?: boolean }) => (
  <span className={mine ? css.mine : css.other} title={name}>
    <span aria-hidden="true">{initials(name)}</span>
    <span className="visually-hidden">{name}</span>
  </span>
);
