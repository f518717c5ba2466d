import { useCallback, useState } from 'react';
import { call } from '../../../api/client';
import type { Customer, Referral } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { LoadFailure } from '../../../components/LoadFailure';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { AccountFrame } from '../AccountFrame';
import { Section } from '../Section';
import { Balance } from './Balance';
import { Chart } from './Chart';
import { EmbedCode } from './EmbedCode';
import { Funnel } from './Funnel';
import { History } from './History';
import styles from './referrer.module.css';
import { ShareLink } from './ShareLink';
import { Terms } from './Terms';
import { Withdrawals } from './Withdrawals';

export function Component() {
  const t = useT('account');
  return (
    <AccountFrame title={t('referrer')} blank={<Skeleton isOpen />}>
      {(customer) => <Plan customer={customer} />}
    </AccountFrame>
  );
}

function Plan({ customer }: { customer: Customer }) {
  const t = useT('account');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/refferal/', {}), [locale]);
  const [answer, again] = useAnswer(ask);
  // A withdrawal changes the balance, the history and the list of withdrawals.
  const [turn, setTurn] = useState(0);
  if (answer.state === 'loading') return <Skeleton isOpen />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  const referral = answer.value;
  const onWithdrawn = () => {
    setTurn(turn + 1);
    again();
  };
  return (
    <>
      <div className={styles.top}>
        <section aria-labelledby="link">
          <h2 id="link">{t('referrer.link')}</h2>
          <ShareLink referral={referral} />
          <Terms referral={referral} />
        </section>
        <section aria-labelledby="balance">
          <h2 id="balance">{t('referrer.balance')}</h2>
          <Balance referral={referral} />
          <Withdrawals key={turn} customer={customer} referral={referral} onWithdrawn={onWithdrawn} />
        </section>
      </div>
      <Section id="brought" title={t('referrer.brought')}>
        <Funnel referral={referral} />
        {hasBrought(referral) ? <Chart code={referral.currency} /> : null}
      </Section>
      <Section id="history" title={t('referrer.history')}>
        <History key={turn} />
      </Section>
      <Section id="embed" title={t('embed')}>
        <EmbedCode code={referral.code} />
      </Section>
    </>
  );
}

const hasBrought = ({ visits, registrations, claims }: Referral) => visits + registrations + claims > 0;
