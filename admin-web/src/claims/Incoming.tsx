import { sanitised } from '../../../public-web/src/features/home/notices/sanitise.tsx';
import { compare, isZero } from '../ui/decimal.ts';
import { useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import { AmountFact, Fact, PlainFact, Section } from './Facts.tsx';
import { ReceiptCard } from './ReceiptCard.tsx';
import { TransactionFact } from './SharedTransaction.tsx';
import type { Claim } from './types.ts';

/** Where the customer pays, what arrived, and the receipts. */
export function Incoming({ claim }: { claim: Claim }) {
  const { t, dateTimeText } = useTexts();
  const {
    payment,
    from: { ticker },
  } = claim;
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
              <AmountFact
                name={t('claim.exactly')}
                value={payment.amount}
                ticker={ticker}
                copyLabel={t('claim.exactly')}
              />
              {!isZero(payment.received) && (
                <AmountFact
                  name={t('claim.received')}
                  value={payment.received}
                  ticker={ticker}
                  isBad={compare(payment.received, payment.amount) !== 0}
                />
              )}
            </>
          )}
          {claim.customerTerms && (
            <PlainFact name={t(claim.customerTerms.acceptedAt ? 'claim.termsAccepted' : 'claim.termsToAccept')}>
              <details>
                <summary>
                  {claim.customerTerms.title}
                  {claim.customerTerms.acceptedAt && `, ${dateTimeText(claim.customerTerms.acceptedAt)}`}
                </summary>
                {sanitised(claim.customerTerms.message)}
              </details>
            </PlainFact>
          )}
          {claim.txIn && <TransactionFact claim={claim} name={t('fields.transaction')} txId={claim.txIn} />}
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
