import { useLocation } from 'react-router';
import styles from './Mark.module.css';
import mark from './mark.svg?url&no-inline';

/** A rosette of seven petals; the server's style sheet replaces it where the owner has a logo. */
export function Mark() {
  const { pathname } = useLocation();
  return (
    <svg className={styles.mark} data-mark="" viewBox="0 0 1000 1000" aria-hidden="true" focusable="false">
      {/* Requested again with the next page, where the network has lost it. */}
      <use key={pathname} href={`${mark}#mark`} />
    </svg>
  );
}
