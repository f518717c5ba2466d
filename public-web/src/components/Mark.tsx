import styles from './Mark.module.css';
import mark from './mark.svg?url&no-inline';

/** A rosette of seven petals; the server's style sheet replaces it where the owner has a logo. */
export function Mark() {
  return (
    <svg className={styles.mark} data-mark="" viewBox="0 0 1000 1000" aria-hidden="true" focusable="false">
      <use href={`${mark}#mark`} />
    </svg>
  );
}
