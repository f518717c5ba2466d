import { useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import { AmountFact, Fact, Section } from './Facts.tsx';
import { MeetingPlace } from './MeetingPlace.tsx';
import { TransactionFact } from './SharedTransaction.tsx';
import type { Claim } from './types.ts';

/** Where the payout goes. */
function Destination({ claim }: { claim: Claim }) {
  return (
    <>
      <MeetingPlace claim={claim} />
      {claim.requisitesOut.map((requisite) => (
        <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
      ))}
    </>
  );
}

/** What is sent now, and where it goes: beside the field for its transaction, which is copied from the bank's page. */
export function PayoutFacts({ claim: { paidOut, to }, claim }: { claim: Claim }) {
  const { t } = useTexts();
  const name = t(paidOut ? 'claim.left' : 'claim.exactly');
  return (
    <dl className={css.list}>
      <AmountFact name={name} value={paidOut?.left ?? to.amount} ticker={to.ticker} copyLabel={name} />
      <Destination claim={claim} />
    </dl>
  );
}

/** The payout, and where a refund would go. */
export function Outgoing({ claim }: { claim: Claim }) {
  const { t } = useTexts();
  const { from, paidOut, returned, surplus, to } = claim;
  return (
    <Section title={t('claim.outgoing')}>
      <dl className={css.list}>
        <AmountFact name={t('claim.exactly')} value={to.amount} ticker={to.ticker} copyLabel={t('fields.receives')} />
        {paidOut && (
          <>
            <AmountFact name={t('claim.paidOut')} value={paidOut.paid} ticker={to.ticker} />
            <AmountFact name={t('claim.left')} value={paidOut.left} ticker={to.ticker} copyLabel={t('claim.left')} />
          </>
        )}
        <Destination claim={claim} />
        {surplus !== null && <AmountFact name={t('surplus.owed')} value={surplus} ticker={from.ticker} />}
        {claim.txOut && <TransactionFact claim={claim} name={t('fields.transaction')} txId={claim.txOut} />}
        {/* With a refund the section of the refund shows its destination. */}
        {(returned ? [] : claim.requisitesRefund).map((requisite) => (
          <Fact
            key={`refund-${requisite.name}`}
            name={t('claim.refundTo', { label: requisite.label })}
            value={requisite.value}
            kind={requisite.kind}
          />
        ))}
        {!returned && claim.txRefund && (
          <TransactionFact claim={claim} name={t('claim.txRefund')} txId={claim.txRefund} />
        )}
      </dl>
    </Section>
  );
}
