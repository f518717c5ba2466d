import { useCallback } from 'react';
import { wordsFor } from '../api/errors';
import { useAnswer } from '../api/useAnswer';
import { Button } from '../components/Button';
import { Modal } from '../components/Modal';
import { Notice } from '../components/Notice';
import { Skeleton } from '../components/Skeleton';
import { askForText } from '../content/pageText';
import { Text } from '../content/Text';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { inLocale } from '../paths';
import styles from './RulesText.module.css';
import type { Rules } from './useRules';

const PAGES = { terms: 'rules', aml: 'aml' } as const;

/** The exchange rules or the AML policy as they are published, over the page that asks to agree to them. */
export default function RulesText({ of, onClose }: { of: Rules; onClose: () => void }) {
  const t = useT('rules');
  const common = useT('common');
  const locale = useLocale();
  const page = PAGES[of];
  const [answered, again] = useAnswer(useCallback(() => askForText(locale, page), [locale, page]));
  return (
    <Modal title={answered.state === 'here' ? answered.value.title : t(of)} button={t('close')} onClose={onClose}>
      {answered.state === 'waiting' ? <Skeleton className={styles.blank} /> : null}
      {answered.state === 'failed' ? (
        <Notice tone="danger" live>
          <p>{wordsFor(answered.error, common)}</p>
          <Button size="small" onClick={again}>
            {common('try_again')}
          </Button>
        </Notice>
      ) : null}
      {answered.state === 'here' ? <Text page={page} text={answered.value} narrow /> : null}
      <p className={styles.page}>
        <a href={inLocale(`/${page}`, '', locale)} target="_blank" rel="noreferrer">
          {t('page')}
        </a>
      </p>
    </Modal>
  );
}
