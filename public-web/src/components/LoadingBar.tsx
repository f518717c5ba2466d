import { useNavigation } from 'react-router';
import { useActivity } from '../api/activity';
import { cx } from './cx';
import styles from './LoadingBar.module.css';

/** The line at the top, shown during navigations and calls. */
export function LoadingBar() {
  const navigating = useNavigation().state !== 'idle';
  const calling = useActivity();
  return <div className={cx(styles.bar, (navigating || calling) && styles.moving)} aria-hidden="true" />;
}
