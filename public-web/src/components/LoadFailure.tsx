import { errorText } from '../api/errors';
import { useT } from '../i18n/texts';
import { Button } from './Button';
import styles from './LoadFailure.module.css';
import { Notice } from './Notice';

/** A loading failure with a retry button. */
export function LoadFailure({ error, again }: { error: unknown; again: () => void }) {
  const t = useT('common');
  return (
    <Notice tone="danger" live>
      <p>{errorText(error, t)}</p>
      <Button className={styles.again} size="small" onClick={again}>
        {t('try_again')}
      </Button>
    </Notice>
  );
}
