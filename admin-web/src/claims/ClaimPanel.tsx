import { useState } from 'react';
import { useGetIdentity } from 'react-admin';
import { useGet, useMayEdit } from '../api/index.ts';
import { ErrorNote, Refusal, SkeletonRows, useKeys, useTexts, useTitle } from '../ui/index.ts';
import { ClaimActions } from './ClaimActions.tsx';
import css from './ClaimPanel.module.css';
import { Consent } from './Consent.tsx';
import { Customer } from './Customer.tsx';
import { Deadline } from './Deadline.tsx';
import { Incoming } from './Incoming.tsx';
import { NoteDialog } from './NoteDialog.tsx';
import { Outgoing } from './Outgoing.tsx';
import { LedgerEntries, Rate } from './RateAndLedger.tsx';
import { RecalculateDialog } from './RecalculateDialog.tsx';
import { Refund } from './Refund.tsx';
import { isRefundDecided, RefundSection } from './RefundSummary.tsx';
import { TakeOverDialog } from './TakeOverDialog.tsx';
import { Ticket } from './Ticket.tsx';
import { Timeline } from './Timeline.tsx';
import { TransitionDialog } from './TransitionDialog.tsx';
import { offered } from './transitions.ts';
import type { Claim, Transition } from './types.ts';
import { useClaimActions } from './useClaimActions.ts';

type Props = { id: string; onClose: () => void; onStep: (by: 1 | -1) => void; alone: boolean };

/** The open claim. The live stream refreshes it. */
export function ClaimPanel({ id, onClose, onStep, alone }: Props) {
  const { t } = useTexts();
  const { data, error, isPending, refetch } = useGet('/claims/{id}', { path: { id } });
  useTitle(data ? `№ ${data.publicId}` : null);
  return (
    <section className={alone ? css.alone : css.panel} aria-label={t('claim.label')}>
      {isPending && <SkeletonRows rows={10} height={48} />}
      {!data && error && (
        <>
          <ErrorNote error={error} retry={() => void refetch()} />
          <button type="button" className={css.back} onClick={onClose}>
            {t('claim.back')}
          </button>
        </>
      )}
      {data && <OpenClaim claim={data} onClose={onClose} onStep={onStep} />}
    </section>
  );
}

function OpenClaim({ claim, onClose, onStep }: { claim: Claim; onClose: () => void; onStep: (by: 1 | -1) => void }) {
  const { t } = useTexts();
  const { identity } = useGetIdentity();
  const mayAct = useMayEdit('claims');
  const actions = useClaimActions(claim.id);
  const [chosen, setChosen] = useState<Transition | null>(null);
  const [noting, setNoting] = useState(false);
  const [takingOver, setTakingOver] = useState(false);
  const held = claim.holder !== null && claim.holder.id !== identity?.id;
  const mine = claim.holder !== null && !held;
  const lock = () => (held ? setTakingOver(true) : actions.lock());
  const free = mayAct && !held && !actions.isPending;

  const choose = (transition: Transition) => {
    actions.forget();
    if (transition.action === 'take') actions.take(claim.revision);
    else setChosen(transition);
  };
  const press = (find: (transition: Transition) => boolean) => () => {
    const found = free ? offered(claim).find(find) : undefined;
    return found ? choose(found) : false;
  };
  useKeys({
    t: () => (mayAct && !mine ? lock() : false),
    r: () => (mayAct && mine ? actions.unlock() : false),
    y: press((transition) => transition.main),
    h: press((transition) => transition.action === 'hold'),
    x: press((transition) => transition.action === 'reject'),
    b: press((transition) => transition.action === 'refund'),
    m: () => (mayAct ? setNoting(true) : false),
  });

  const isRefund = isRefundDecided(claim);
  const refund = <RefundSection claim={claim} held={held} actions={actions} />;
  return (
    <>
      <Ticket claim={claim} onClose={onClose} onStep={onStep} />
      {actions.outdated !== null && (
        <div className={css.refusal}>
          <Refusal error={actions.outdated} />
          <p>{t('claim.readAgain')}</p>
        </div>
      )}
      {!chosen && <div className={css.refusal}>{actions.refusal && <Refusal error={actions.refusal} />}</div>}
      {claim.unreadable.length > 0 && (
        <p className={css.overdueFar} role="alert">
          {t('claim.unreadable', {
            what: claim.unreadable.map((name) => t(`claim.stored.${name}`, { _: name })).join(', '),
          })}
        </p>
      )}
      <Deadline claim={claim} />
      <Consent claim={claim} />
      <Refund claim={claim} held={held} />
      <ClaimActions
        claim={claim}
        mayAct={mayAct}
        held={held}
        mine={mine}
        busy={actions.isPending}
        onChoose={choose}
        onLock={lock}
        onUnlock={actions.unlock}
      />
      <div className={css.facts}>
        {isRefund && refund}
        <Incoming claim={claim} />
        <Outgoing claim={claim} />
        {!isRefund && refund}
        <Customer claim={claim} />
        <Timeline claim={claim} onNote={mayAct ? () => setNoting(true) : null} />
        <Rate claim={claim} />
        <LedgerEntries claim={claim} />
      </div>
      {chosen?.action === 'recalculate' && (
        <RecalculateDialog claim={claim} actions={actions} onClose={() => setChosen(null)} />
      )}
      {chosen && chosen.action !== 'recalculate' && (
        <TransitionDialog
          claim={claim}
          transition={chosen}
          held={held}
          actions={actions}
          onClose={() => setChosen(null)}
        />
      )}
      {takingOver && held && <TakeOverDialog claim={claim} actions={actions} onClose={() => setTakingOver(false)} />}
      {noting && <NoteDialog actions={actions} onClose={() => setNoting(false)} />}
    </>
  );
}
