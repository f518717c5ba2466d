import type { Claim } from '@agio/client/admin';
import { Amount } from '../ui/Amount.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Facts.module.css';
import { Fact, Section } from './Facts.tsx';

/** Whom we pay, and where the money goes back to if it must. */
export function Outgoing({ claim }: { claim: Claim }) {
  const { t } = useWords();
  const { paidOut, returned } = claim;
  return (
    <Section title={t('claim.outgoing')} aside={claim.email}>
      <dl className={css.list}>
        <div className={css.fact}>
          <dt>{t('claim.exactly')}</dt>
          <dd>
            <span>
              <Amount value={claim.to.amount} /> {claim.to.ticker}
            </span>
            <CopyButton value={claim.to.amount} label={t('claims.gets')} />
          </dd>
        </div>
        {paidOut && (
          <>
            <div className={css.fact}>
              <dt>{t('claim.paidOut')}</dt>
              <dd>
                <span>
                  <Amount value={paidOut.paid} /> {claim.to.ticker}
                </span>
              </dd>
            </div>
            <div className={css.fact}>
              <dt>{t('claim.left')}</dt>
              <dd>
                <span>
                  <Amount value={paidOut.left} /> {claim.to.ticker}
                </span>
                <CopyButton value={paidOut.left} label={t('claim.left')} />
              </dd>
            </div>
          </>
        )}
        {claim.requisitesOut.map((requisite) => (
          <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
        ))}
        {claim.txOut && <Fact name={t('claim.tx')} value={claim.txOut} />}
        {/* Where money is to be returned, that is shown with how much. */}
        {(returned ? [] : claim.requisitesRefund).map((requisite) => (
          <Fact
            key={`refund-${requisite.name}`}
            name={t('claim.refundTo', { label: requisite.label })}
            value={requisite.value}
            kind={requisite.kind}
          />
        ))}
        {!returned && claim.txRefund && <Fact name={t('claim.txRefund')} value={claim.txRefund} />}
      </dl>
    </Section>
  );
}
