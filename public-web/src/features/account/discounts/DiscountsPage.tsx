import { significant, subtract } from '@agio/client/decimal';
import { amountText, percentText } from '@agio/client/format';
import { useCallback, useId } from 'react';
import { call } from '../../../api/client';
import type { CustomerDiscount, Discounts, DiscountTier } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { moneyText, unitOf } from '../../../components/amounts';
import { Button } from '../../../components/Button';
import { cx } from '../../../components/cx';
import { Head } from '../../../components/Head';
import { LoadFailure } from '../../../components/LoadFailure';
import { Micro } from '../../../components/Micro';
import { Perforation } from '../../../components/Perforation';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { openAccountDialog } from '../../../session/accountDialog';
import { useSession } from '../../../session/session';
import { useSite } from '../../../site';
import styles from './DiscountsPage.module.css';

const RULES = ['counted', 'whose', 'bound', 'promo'] as const;

/** The table of discounts, and the customer's tier. */
export function Component() {
  const t = useT('account');
  const { siteName } = useSite();
  const locale = useLocale();
  const session = useSession();
  const ask = useCallback(() => call(locale, 'GET /discounts/', {}), [locale]);
  // After signing in on this page, the customer sees their tier.
  const [answer, again] = useAnswer(ask, session.phase);
  const table = answer.state === 'ready' ? answer.value : null;
  return (
    <>
      <Head
        title={`${t('discounts.title')} | ${siteName}`}
        description={t('discounts.description')}
        path="/discounts"
      />
      <div className={cx('wrap', styles.page)}>
        <div className={styles.intro}>
          <h1>{t('discounts.title')}</h1>
          <p className="muted">{t('discounts.intro')}</p>
        </div>
        {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
        <article className={styles.note} aria-busy={answer.state === 'loading'}>
          <div className={styles.face}>
            <h2 id="steps">{t('discounts.steps')}</h2>
            <Micro className={styles.micro} text={`${t('discounts.title')} · `} />
            {table === null ? <BlankSteps /> : <Steps table={table} />}
          </div>
          <Perforation />
          <div className={styles.stub}>
            {table === null ? <Skeleton className={styles.blankStub} /> : <Own table={table} />}
          </div>
        </article>
        <section className={styles.rules} aria-labelledby="rules">
          <h2 id="rules">{t('discounts.rules')}</h2>
          <dl>
            {RULES.map((rule) => (
              <div key={rule}>
                <dt>{t(`discounts.${rule}`)}</dt>
                <dd className="muted">{t(`discounts.${rule}_more`)}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </>
  );
}

/** The tier a volume has reached; null below the first. */
function reached({ tiers, mine }: Discounts): DiscountTier | null {
  return mine === null ? null : (tiers.findLast(({ percent }) => percent === mine.percent) ?? null);
}

function Steps({ table }: { table: Discounts }) {
  const t = useT('account');
  const locale = useLocale();
  if (table.tiers.length === 0) {
    return <p className={cx(styles.none, 'muted')}>{t('discounts.none')}</p>;
  }
  const own = reached(table);
  return (
    <table className={styles.steps}>
      <thead>
        <tr>
          <th scope="col">{t('discounts.volume')}</th>
          <th scope="col">{t('discounts.gives')}</th>
        </tr>
      </thead>
      <tbody>
        {table.tiers.map((tier) => (
          <tr key={tier.min} className={tier === own ? styles.own : undefined}>
            <th scope="row" className="nb">
              {t('discounts.from', { amount: moneyText(tier.min, table.base, locale) })}
              {tier === own ? <span className={styles.here}>{t('discounts.yours')}</span> : null}
            </th>
            <td className="nb">{`+${percentText(tier.percent, locale)}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The customer's discount and the next tier; for guests, a link to sign in. */
function Own({ table }: { table: Discounts }) {
  const t = useT('account');
  const session = useSession();
  if (table.mine !== null) return <Progress mine={table.mine} base={table.base} />;
  if (session.phase !== 'guest') return <Skeleton className={styles.blankStub} />;
  return (
    <>
      <h2>{t('discounts.guest')}</h2>
      <p className="muted">{t('discounts.guest_more')}</p>
      <Button look="main" onClick={() => openAccountDialog({ kind: 'signIn' })}>
        {t('discounts.sign_in')}
      </Button>
    </>
  );
}

/** A volume at a glance: two decimals, cut downwards. */
function cutVolume(volume: string): string {
  const whole = volume.split('.')[0]?.replace(/^0+/, '') ?? '';
  return significant(volume, whole.length + 2);
}

function Progress({ mine, base }: { mine: CustomerDiscount; base: string }) {
  const t = useT('account');
  const locale = useLocale();
  const label = useId();
  const { percent, next, confirmed } = mine;
  const volume = cutVolume(mine.volume);
  return (
    <>
      <h2>{t('discounts.own')}</h2>
      <p className={cx(styles.percent, 'num')}>{`+${percentText(percent, locale)}`}</p>
      <p className="num">{t('discounts.exchanged', { amount: moneyText(volume, base, locale) })}</p>
      {next ? (
        <div className={styles.way}>
          <progress className={styles.ruler} value={Number(volume)} max={Number(next.min)} aria-labelledby={label} />
          <p id={label} className="num">
            {t('discounts.left', {
              left: amountText(subtract(next.min, volume), locale),
              unit: unitOf(base),
              percent: amountText(next.percent, locale),
            })}
          </p>
        </div>
      ) : (
        <p className="muted">{/[1-9]/.test(percent) ? t('discounts.last') : t('discounts.no_next')}</p>
      )}
      {confirmed ? null : <p className="small muted">{t('discounts.unconfirmed')}</p>}
    </>
  );
}

function BlankSteps() {
  return (
    <div className={styles.blankSteps} aria-hidden="true">
      {['first', 'second', 'third', 'fourth'].map((name) => (
        <Skeleton key={name} className={styles.blankStep} />
      ))}
    </div>
  );
}
