import { cx } from './cx';
import styles from './Perforation.module.css';

export function Perforation({ className }: { className?: string | undefined }) {
  return (
    <div className={cx(styles.perforation, className)} aria-hidden="true">
      <i />
      <i />
    </div>
  );
}
