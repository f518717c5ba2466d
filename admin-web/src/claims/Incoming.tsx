import type { Claim } from '@agio/client/admin';
import { Amount } from '../ui/Amount.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { compare, isZero } from '../ui/decimal.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Facts.module.css';
import { Fact, Section } from './Facts.tsx';
import { ReceiptCard } from './ReceiptCard.tsx';

/** Where the customer's money is to come, what came, and what proves it. */
export function Incoming({ claim }: { claim: Claim }) {
  const { t } = useWords();
  const { payment, from } = claim;
  return (
    <Section title={t('claim.incoming')}>
      <div className={css.split}>
        {!payment && <p className={css.none}>{t('claim.noPayment')}</p>}
        <dl className={css.list}>
          {payment && (
            <>
              <Fact name={t('claim.payTo')} value={payment.value} />
              {payment.holder && <Fact name={t('claim.holderOf')} value={payment.holder} kind="holder" />}
              {payment.memo && <Fact name={t('claim.memo')} value={payment.memo} />}
              <div className={css.fact}>
                <dt>{t('claim.exactly')}</dt>
                <dd>
                  <span>
                    <Amount value={payment.amount} /> {from.ticker}
                  </span>
                  <CopyButton value={payment.amount} label={t('claim.exactly')} />
                </dd>
              </div>
              {!isZero(payment.received) && (
                <div className={css.fact}>
                  <dt>{t('claim.received')}</dt>
                  <dd className={compare(payment.received, payment.amount) === 0 ? undefined : css.repeat}>
                    <span>
                      <Amount value={payment.received} /> {from.ticker}
                    </span>
                  </dd>
                </div>
              )}
            </>
          )}
          {claim.txIn && <Fact name={t('claim.tx')} value={claim.txIn} />}
          {claim.requisitesIn.map((requisite) => (
            <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
          ))}
        </dl>
        {claim.receipts.length > 0 && (
          <div className={css.receipts}>
            {claim.receipts.map((receipt) => (
              <ReceiptCard key={receipt.id} claimId={claim.id} receipt={receipt} />
            ))}
          </div>
        )}
      </div>
    </Section>
  );
}
