import styles from './Mark.module.css';
import mark from './mark.svg?url&no-inline';

/** The logo: a rosette of seven petals. */
export function Mark() {
  return (
    <svg className={styles.mark} viewBox="0 0 1000 1000" aria-hidden="true" focusable="false">
      <use href={`${mark}#mark`} />
    </svg>
  );
}
