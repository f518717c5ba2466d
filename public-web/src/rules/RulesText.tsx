import { useCallback } from 'react';
import { useAnswer } from '../api/useAnswer';
import { LoadFailure } from '../components/LoadFailure';
import { Modal } from '../components/Modal';
import { Skeleton } from '../components/Skeleton';
import { fetchText } from '../content/pageText';
import { Text } from '../content/Text';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { inLocale } from '../paths';
import styles from './RulesText.module.css';
import type { Rules } from './useRules';

const PAGES = { terms: 'rules', aml: 'aml' } as const;

/** The published exchange rules or AML policy, over the page that requires consent. */
export default function RulesText({ of, onClose }: { of: Rules; onClose: () => void }) {
  const t = useT('rules');
  const locale = useLocale();
  const page = PAGES[of];
  const [answer, again] = useAnswer(useCallback(() => fetchText(locale, page), [locale, page]));
  return (
    <Modal title={answer.state === 'ready' ? answer.value.title : t(of)} button={t('close')} onClose={onClose}>
      {answer.state === 'loading' ? <Skeleton className={styles.blank} /> : null}
      {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
      {answer.state === 'ready' ? <Text page={page} text={answer.value} narrow /> : null}
      <p className={styles.page}>
        <a href={inLocale(`/${page}`, '', locale)} target="_blank" rel="noreferrer">
          {t('page')}
        </a>
      </p>
    </Modal>
  );
}
