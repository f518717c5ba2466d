import { Notice } from '../components/Notice';
import styles from './Failure.module.css';

/** Why a form failed, announced to screen readers. */
export function Failure({ text }: { text: string | null }) {
  return (
    <div className={styles.failure} aria-live="assertive">
      {text === null ? null : (
        <Notice tone="danger">
          <p>{text}</p>
        </Notice>
      )}
    </div>
  );
}
