import { type ReactNode, useCallback, useEffect } from 'react';
import { useLocation } from 'react-router';
import { call } from '../../../api/client';
import type { Customer } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { Notifications } from '../../../push/Notifications';
import { AccountFrame } from '../AccountFrame';
import { Section } from '../Section';
import { EmailChange } from './EmailChange';
import { Language } from './Language';
import { AccountDeletion, DataExport } from './OwnData';
import { PasswordChange } from './PasswordChange';
import { SavedRequisites } from './SavedRequisites';
import { SecondFactor } from './SecondFactor';
import { Sessions } from './Sessions';
import styles from './settings.module.css';
import { Verifications } from './Verifications';

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
  const [sessions, reload] = useAnswer(ask);
  useSection();
  return (
    <>
      <Section id="email" title={t('email')}>
        <EmailChange customer={customer} onChanged={reload} />
      </Section>
      <Section id="password" title={t('password')}>
        <PasswordChange email={customer.email} onChanged={reload} />
      </Section>
      <Section id="code" title={t('code.title')}>
        <SecondFactor customer={customer} />
      </Section>
      <Section id="sessions" title={t('sessions.title')}>
        <Sessions answer={sessions} again={reload} />
      </Section>
      <AccountNotifications />
      <Section id="requisites" title={t('saved.title')}>
        <SavedRequisites />
      </Section>
      <Section id="verification" title={t('verification.title')}>
        <Verifications />
      </Section>
      <Section id="language" title={t('language.title')}>
        <Language emails={customer.language} />
      </Section>
      <Section id="data" title={t('export.title')}>
        <DataExport customer={customer} />
      </Section>
      <Section id="delete" title={t('deletion.title')}>
        <AccountDeletion customer={customer} />
      </Section>
    </>
  );
}

/** Notifications about all claims of the account. */
function AccountNotifications() {
  const t = useT('push');
  const frame = (lines: ReactNode) => (
    <Section id="notifications" title={t('title')}>
      {lines}
    </Section>
  );
  return <Notifications target="account" frame={frame} />;
}

/** Scrolls to the section of the address, which did not exist when the page loaded. */
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
