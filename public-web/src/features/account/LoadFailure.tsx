import { wordsFor } from '../../api/errors';
import { Button } from '../../components/Button';
import { Notice } from '../../components/Notice';
import { useT } from '../../i18n/texts';
import styles from './LoadFailure.module.css';

/** What could not be loaded, and the way to try again. */
export function LoadFailure({ error, again }: { error: unknown; again: () => void }) {
  const t = useT('account');
  const common = useT('common');
  return (
    <Notice tone="danger" live>
      <p>{wordsFor(error, common)}</p>
      <Button className={styles.again} size="small" onClick={again}>
        {t('try_again')}
      </Button>
    </Notice>
  );
}
