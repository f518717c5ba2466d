import { useCallback, useEffect } from 'react';
import { useLocation } from 'react-router';
import type { Customer } from '../../../api/account';
import { call } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { AccountFrame } from '../AccountFrame';
import { Section } from '../Section';
import { KeptRequisites } from './KeptRequisites';
import { Language } from './Language';
import { PasswordChange } from './PasswordChange';
import { SecondFactor } from './SecondFactor';
import { Sessions } from './Sessions';
import styles from './settings.module.css';
import { Verifications } from './Verifications';

/** The settings of the account: password, second factor, signed-in browsers, language. */
export function Component() {
  const t = useT('account');
  return (
    <AccountFrame title={t('settings')} blank={<Blank />}>
      {(customer) => <Settings customer={customer} />}
    </AccountFrame>
  );
}

function Settings({ customer }: { customer: Customer }) {
  const t = useT('account');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/sessions/', { quiet: true }), [locale]);
  const [sessions, askAgain] = useAnswer(ask);
  useSection();
  return (
    <>
      <Section id="password" title={t('password')}>
        <PasswordChange email={customer.email} onChanged={askAgain} />
      </Section>
      <Section id="code" title={t('code.title')}>
        <SecondFactor customer={customer} />
      </Section>
      <Section id="sessions" title={t('sessions.title')}>
        <Sessions answer={sessions} again={askAgain} />
      </Section>
      <Section id="requisites" title={t('kept.title')}>
        <KeptRequisites />
      </Section>
      <Section id="verification" title={t('proved.title')}>
        <Verifications />
      </Section>
      <Section id="language" title={t('language.title')}>
        <Language letters={customer.language} />
      </Section>
    </>
  );
}

/** Goes to the section the address names, which was not there when the page came. */
function useSection(): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash) {
      document.getElementById(hash.slice(1))?.scrollIntoView();
    }
  }, [hash]);
}

function Blank() {
  const t = useT('account');
  return (
    <Section id="password" title={t('password')}>
      <Skeleton className={styles.blank} />
    </Section>
  );
}
