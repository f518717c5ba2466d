import { useNavigation } from 'react-router';
import { useActivity } from '../api/activity';
import { cx } from './cx';
import styles from './LoadingBar.module.css';

/** The yellow line at the top: moves on every navigation and every call somebody waits for. */
export function LoadingBar() {
  const navigating = useNavigation().state !== 'idle';
  const calling = useActivity();
  return <div className={cx(styles.bar, (navigating || calling) && styles.moving)} aria-hidden="true" />;
}
