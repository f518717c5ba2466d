import { useActivity } from '../api/activity';
import { cx } from './cx';
import styles from './LoadingBar.module.css';

/** The line at the top, shown during navigations and calls. */
export function LoadingBar() {
  return <div className={cx(styles.bar, useActivity() && styles.moving)} aria-hidden="true" />;
}
