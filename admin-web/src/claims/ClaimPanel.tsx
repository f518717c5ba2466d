import type { Claim, Transition } from '@agio/client/admin';
import { useState } from 'react';
import { useCanAccess, useGetIdentity } from 'react-admin';
import { useTitle } from '../ui/Page.tsx';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { useKeys } from '../ui/useKeys.ts';
import { useWords } from '../ui/useWords.ts';
import { ClaimActions, offered } from './ClaimActions.tsx';
import css from './ClaimPanel.module.css';
import { Consent } from './Consent.tsx';
import { Deadline } from './Deadline.tsx';
import { Incoming } from './Incoming.tsx';
import { NoteDialog } from './NoteDialog.tsx';
import { Outgoing } from './Outgoing.tsx';
import { Books, Rate } from './RateAndBooks.tsx';
import { RecalculateDialog } from './RecalculateDialog.tsx';
import { Refund } from './Refund.tsx';
import { RefundSection } from './RefundSummary.tsx';
import { Ticket } from './Ticket.tsx';
import { Timeline } from './Timeline.tsx';
import { TransitionDialog } from './TransitionDialog.tsx';
import { useClaimMoves } from './useClaimMoves.ts';
import { useClaim } from './useClaims.ts';

type Props = { id: string; onClose: () => void; onStep: (by: 1 | -1) => void; alone: boolean };

/** The open claim: read again by itself whenever it changes. */
export function ClaimPanel({ id, onClose, onStep, alone }: Props) {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useClaim(id);
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
  const { t } = useWords();
  const { identity } = useGetIdentity();
  const { canAccess: mayAct = false } = useCanAccess({ resource: 'claims', action: 'edit' });
  const moves = useClaimMoves(claim.id);
  const [asked, setAsked] = useState<Transition | null>(null);
  const [noting, setNoting] = useState(false);
  const held = claim.holder !== null && claim.holder.id !== identity?.id;
  const mine = claim.holder !== null && !held;
  const free = mayAct && !held && !moves.busy;

  const choose = (transition: Transition) => {
    moves.forget();
    if (transition.action === 'take') {
      void moves.move({ action: 'take', revision: claim.revision }).catch(() => undefined);
    } else {
      setAsked(transition);
    }
  };
  const press = (find: (transition: Transition) => boolean) => () => {
    const found = free ? offered(claim).find(find) : undefined;
    return found ? choose(found) : false;
  };
  useKeys({
    t: () => (mayAct && !mine ? moves.lock() : false),
    r: () => (mayAct && mine ? moves.unlock() : false),
    y: press((transition) => transition.main),
    h: press((transition) => transition.action === 'hold'),
    x: press((transition) => transition.action === 'reject'),
    b: press((transition) => transition.action === 'refund'),
    m: () => (mayAct ? setNoting(true) : false),
  });

  return (
    <>
      <Ticket claim={claim} onClose={onClose} onStep={onStep} />
      {moves.outdated !== null && (
        <div className={css.said}>
          <Refusal error={moves.outdated} />
          <p>{t('claim.readAgain')}</p>
        </div>
      )}
      {!asked && <div className={css.said}>{moves.refusal && <Refusal error={moves.refusal} />}</div>}
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
        busy={moves.busy}
        onChoose={choose}
        onLock={moves.lock}
        onUnlock={moves.unlock}
      />
      <div className={css.facts}>
        <RefundSection claim={claim} held={held} />
        <Incoming claim={claim} />
        <Outgoing claim={claim} />
        <Timeline claim={claim} onNote={mayAct ? () => setNoting(true) : null} />
        <Rate claim={claim} />
        <Books claim={claim} />
      </div>
      {asked?.action === 'recalculate' && (
        <RecalculateDialog claim={claim} moves={moves} onClose={() => setAsked(null)} />
      )}
      {asked && asked.action !== 'recalculate' && (
        <TransitionDialog claim={claim} transition={asked} moves={moves} onClose={() => setAsked(null)} />
      )}
      {noting && <NoteDialog moves={moves} onClose={() => setNoting(false)} />}
    </>
  );
}
