import { useCallback, useState } from 'react';
import type { Customer, PartnerAccess, PartnerView } from '../../../api/account';
import { call } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import { Notice } from '../../../components/Notice';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { AccountFrame } from '../AccountFrame';
import { LoadFailure } from '../LoadFailure';
import { Section } from '../Section';
import { Application } from './Application';
import { Contact } from './Contact';
import { Keys } from './Keys';
import { News } from './News';
import styles from './partner.module.css';
import { Statistics } from './Statistics';

/** Exchanging for customers of one's own: access, keys, what was told and what was earned. */
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
  if (answer.state === 'waiting') {
    return <Skeleton className={styles.blank} />;
  }
  if (answer.state === 'failed') {
    return <LoadFailure error={answer.error} again={again} />;
  }
  return <Sections customer={customer} view={answer.value} again={again} />;
}

function Sections({ customer, view, again }: { customer: Customer; view: PartnerView; again: () => void }) {
  const t = useT('partner');
  const { access } = view;
  if (access === null) {
    return (
      <Section id="access" title={t('access')}>
        <p>{t('words')}</p>
        <Guide />
        <First customer={customer} open={view.open} again={again} />
      </Section>
    );
  }
  return (
    <>
      <Section id="access" title={t('access')}>
        <Standing access={access} open={view.open} again={again} />
        <Guide />
      </Section>
      <Section id="keys" title={t('keys')}>
        <Keys customer={customer} access={access} again={again} />
      </Section>
      {access.standing === 'approved' && !access.suspended ? (
        <Section id="contact" title={t('contact')}>
          <Contact customer={customer} access={access} again={again} />
        </Section>
      ) : null}
      <Section id="statistics" title={t('statistics')}>
        <Statistics access={access} />
      </Section>
      <Section id="news" title={t('news')}>
        <News mayRepeat={!access.suspended} />
      </Section>
    </>
  );
}

/** The form for whoever never asked, or why there is none. */
function First({ customer, open, again }: { customer: Customer; open: boolean; again: () => void }) {
  const t = useT('partner');
  if (!open) {
    return <p className="muted">{t('closed')}</p>;
  }
  if (!customer.activated) {
    return <p className="muted">{t('not_activated')}</p>;
  }
  return <Application email={customer.email} onAsked={again} />;
}

function Standing({ access, open, again }: { access: PartnerAccess; open: boolean; again: () => void }) {
  const t = useT('partner');
  const [isAsking, setAsking] = useState(false);
  const tone = access.suspended
    ? 'danger'
    : ({ requested: 'calm', approved: 'positive', declined: 'warning' } as const)[access.standing];
  const mayAsk = open && !access.suspended && access.standing !== 'approved';
  return (
    <>
      <Notice tone={tone} title={access.suspended ? t('suspended') : t(`standing.${access.standing}`)}>
        <p>{access.suspended ? t('suspended_words') : t(`standing.${access.standing}_words`)}</p>
        {access.reason === null ? null : <p>{access.reason}</p>}
      </Notice>
      <dl className={styles.facts}>
        <dt>{t('name')}</dt>
        <dd>{access.name}</dd>
        <dt>{t('site')}</dt>
        <dd>{access.site}</dd>
      </dl>
      {mayAsk && !isAsking ? (
        <button type="button" className="linkbtn" onClick={() => setAsking(true)}>
          {t(access.standing === 'declined' ? 'ask_again' : 'correct')}
        </button>
      ) : null}
      {mayAsk && isAsking ? (
        <Application
          email={access.email}
          known={access}
          onAsked={() => {
            setAsking(false);
            again();
          }}
        />
      ) : null}
    </>
  );
}

/** Where programmers read how to call. */
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
