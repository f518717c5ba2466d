import { useCallback, useState } from 'react';
import { call } from '../../../api/client';
import type { Customer, PartnerAccess, PartnerView } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { LoadFailure } from '../../../components/LoadFailure';
import { Notice } from '../../../components/Notice';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { AccountFrame } from '../AccountFrame';
import { Section } from '../Section';
import { Application } from './Application';
import { Contact } from './Contact';
import { Keys } from './Keys';
import styles from './partner.module.css';
import { Statistics } from './Statistics';
import { Webhooks } from './Webhooks';

export function Component() {
  const account = useT('account');
  return (
    <AccountFrame title={account('partner')} blank={<Skeleton className={styles.blank} />}>
      {(customer) => <Access customer={customer} />}
    </AccountFrame>
  );
}

function Access({ customer }: { customer: Customer }) {
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/partner/', {}), [locale]);
  const [answer, again] = useAnswer(ask);
  if (answer.state === 'loading') return <Skeleton className={styles.blank} />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  return <Sections customer={customer} view={answer.value} again={again} />;
}

function Sections({ customer, view, again }: { customer: Customer; view: PartnerView; again: () => void }) {
  const t = useT('partner');
  const { access } = view;
  if (access === null) {
    return (
      <Section id="access" title={t('access')}>
        <p>{t('text')}</p>
        <Guide />
        <First customer={customer} open={view.open} again={again} />
      </Section>
    );
  }
  return (
    <>
      <Section id="access" title={t('access')}>
        <Progress access={access} open={view.open} again={again} />
        <Guide />
      </Section>
      <Section id="keys" title={t('keys')}>
        <Keys customer={customer} access={access} again={again} />
      </Section>
      {access.status === 'approved' && !access.suspended ? (
        <Section id="contact" title={t('contact')}>
          <Contact customer={customer} access={access} again={again} />
        </Section>
      ) : null}
      <Section id="statistics" title={t('statistics')}>
        <Statistics access={access} />
      </Section>
      <Section id="news" title={t('webhooks')}>
        <Webhooks mayRepeat={!access.suspended} />
      </Section>
    </>
  );
}

/** The application form, or why there is none. */
function First({ customer, open, again }: { customer: Customer; open: boolean; again: () => void }) {
  const t = useT('partner');
  if (!open) return <p className="muted">{t('closed')}</p>;
  if (!customer.activated) return <p className="muted">{t('not_activated')}</p>;
  return <Application email={customer.email} onRequested={again} />;
}

function Progress({ access, open, again }: { access: PartnerAccess; open: boolean; again: () => void }) {
  const t = useT('partner');
  const [isAsking, setAsking] = useState(false);
  const tone = access.suspended
    ? 'danger'
    : ({ requested: 'calm', approved: 'positive', declined: 'warning' } as const)[access.status];
  const mayRequest = open && !access.suspended && access.status !== 'approved';
  return (
    <>
      <Notice tone={tone} title={access.suspended ? t('suspended') : t(`status.${access.status}`)}>
        <p>{access.suspended ? t('suspended_text') : t(`status.${access.status}_text`)}</p>
        {access.reason === null ? null : <p>{access.reason}</p>}
      </Notice>
      <dl className={styles.facts}>
        <dt>{t('name')}</dt>
        <dd>{access.name}</dd>
        <dt>{t('site')}</dt>
        <dd>{access.site}</dd>
      </dl>
      {mayRequest && !isAsking ? (
        <button type="button" className="linkbtn" onClick={() => setAsking(true)}>
          {t(access.status === 'declined' ? 'request_again' : 'correct')}
        </button>
      ) : null}
      {mayRequest && isAsking ? (
        <Application
          email={access.email}
          known={access}
          onRequested={() => {
            setAsking(false);
            again();
          }}
        />
      ) : null}
    </>
  );
}

function Guide() {
  const t = useT('partner');
  const locale = useLocale();
  return (
    <p>
      <a href={locale === 'en' ? '/docs/partner' : '/docs/partner/ru'} target="_blank" rel="noreferrer">
        {t('guide')}
      </a>
    </p>
  );
}
