import { cx } from './cx';
import styles from './Perforation.module.css';

/** A row of holes and two half-moon notches punched out of a note. */
export function Perforation({ className }: { className?: string | undefined }) {
  return (
    <div className={cx(styles.perforation, className)} aria-hidden="true">
      <i />
      <i />
    </div>
  );
}
