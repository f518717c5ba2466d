import { Notice } from '../components/Notice';
import styles from './Failure.module.css';

/** Why a form did not get through, read out as soon as it appears. */
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
