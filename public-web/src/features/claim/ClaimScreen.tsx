import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { errorText, PageError } from '../../api/errors';
import { forgetClaim, rememberClaim } from '../../claimMemory';
import { serialText } from '../../components/amounts';
import { Button } from '../../components/Button';
import { Head } from '../../components/Head';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { lacksDestination, needsPhotos, shownState } from '../../openClaims/progress';
import { forgetSubscription } from '../../push/memory';
import { Notifications } from '../../push/Notifications';
import { useSite } from '../../site';
import type { ScrollState } from '../../useScrollPosition';
import css from './ClaimScreen.module.css';
import { finalPageOf, isSettled, PRESENTATIONS } from './model/presentation';
import { ChoiceStep } from './steps/ChoiceStep';
import { ConfirmationsStep } from './steps/ConfirmationsStep';
import { FailStep } from './steps/FailStep';
import { HoldStep } from './steps/HoldStep';
import { Meeting } from './steps/Meeting';
import { PayStep } from './steps/PayStep';
import { ProgressStep } from './steps/ProgressStep';
import { ReviewStep } from './steps/ReviewStep';
import { SuccessStep } from './steps/SuccessStep';
import { VerificationStep } from './steps/VerificationStep';
import { Announcer, ReadingContext, Ticket } from './ticket/Ticket';
import { TicketSkeleton } from './ticket/TicketSkeleton';
import { Timeline } from './ticket/Timeline';
import { useAction } from './useAction';
import { type FollowedClaim, handOver, useClaim } from './useClaim';

export type ClaimAddress = 'progress' | 'success' | 'fail';

/** A claim on any of its pages, updated live. */
export function ClaimScreen({ id, at }: { id: string; at: ClaimAddress }) {
  const t = useT('claim');
  const { siteName } = useSite();
  const view = useClaim(id, at === 'success');
  if (view.phase === 'missing') throw new PageError(404, '');
  return (
    <>
      <Head title={view.phase === 'ready' ? titleOf(view.claim, t, siteName) : siteName} />
      <div className={css.page}>
        {view.phase === 'loading' && <TicketSkeleton />}
        {view.phase === 'failed' && <Failed error={view.error} retry={view.retry} />}
        {view.phase === 'ready' && <ShownClaim claim={view.claim} at={at} />}
      </div>
    </>
  );
}

const titleOf = ({ form }: FollowedClaim, t: ReturnType<typeof useT<'claim'>>, siteName: string) =>
  `${t('title', { number: serialText(form.publicId) })} | ${siteName}`;

function ShownClaim({ claim, at }: { claim: FollowedClaim; at: ClaimAddress }) {
  const paths = usePaths();
  const { form, status, line } = claim;
  const hasMovedOn = useRightAddress(claim, at);
  const reading = useRef({ state: hasMovedOn ? null : readingOf(status), isAwaited: hasMovedOn });
  useMemory(claim);
  const link = window.location.origin + paths.claimById(status.id);
  return (
    <ReadingContext value={reading}>
      <Announcer form={form} status={status} />
      <Ticket
        form={form}
        state={shownState(status)}
        needsAnswer={lacksDestination(status) || needsPhotos(status)}
        termsEnd={status.termsEnd}
        line={line}
        link={link}
        completedAt={status.status === 'completed' ? status.updatedAt : null}
      >
        <Step claim={claim} />
        {showsMeeting(claim) && <Meeting claim={claim} />}
        <Timeline status={status} />
        <ClaimNotifications claim={claim} />
      </Ticket>
    </ReadingContext>
  );
}

/** While there is something to come. */
function ClaimNotifications({ claim: { status } }: { claim: FollowedClaim }) {
  if (finalPageOf(status.status) !== null) return null;
  const frame = (lines: ReactNode) => <div className={css.notifications}>{lines}</div>;
  return <Notifications target={{ claim: status.id }} frame={frame} />;
}

/** The review and the payment of cash show the place themselves, above their buttons. */
function showsMeeting({ form, status }: FollowedClaim): boolean {
  const { step } = PRESENTATIONS[status.status];
  const hasOwn = step === 'review' || (step === 'pay' && form.from.kind === 'cash');
  return finalPageOf(status.status) === null && !hasOwn;
}

function Step({ claim }: { claim: FollowedClaim }) {
  const action = useAction(claim);
  switch (PRESENTATIONS[claim.status.status].step) {
    case 'review':
      return <ReviewStep claim={claim} action={action} />;
    case 'verification':
      return <VerificationStep claim={claim} action={action} />;
    case 'pay':
      return <PayStep claim={claim} action={action} />;
    case 'confirmations':
      return <ConfirmationsStep claim={claim} />;
    case 'progress':
      return <ProgressStep claim={claim} action={action} />;
    case 'choice':
      return <ChoiceStep claim={claim} action={action} />;
    case 'hold':
      return <HoldStep claim={claim} action={action} />;
    case 'success':
      return <SuccessStep claim={claim} />;
    case 'fail':
      return <FailStep claim={claim} />;
  }
}

function readingOf(status: FollowedClaim['status']): string {
  return lacksDestination(status) ? 'refund_to' : shownState(status);
}

interface ClaimAddressState {
  hasMovedOn?: boolean;
}

/**
 * Moves a claim to the address of its state without loading the page anew. The former address is replaced: it would
 * only lead here again, and the back button must lead away. True where the page was reached this way.
 */
function useRightAddress({ form, status, review }: FollowedClaim, at: ClaimAddress): boolean {
  const navigate = useNavigate();
  const paths = usePaths();
  const location = useLocation();
  const wanted = finalPageOf(status.status) ?? 'progress';
  useEffect(() => {
    if (wanted === at) return;
    handOver({ form, status, review });
    const query = `?id=${encodeURIComponent(status.id)}`;
    const address = {
      progress: paths.claimById(status.id),
      success: paths.claimSuccess() + query,
      fail: paths.claimFail() + query,
    }[wanted];
    // The new heading scrolls to the top by itself.
    const state: ClaimAddressState & ScrollState = { hasMovedOn: true, keepsPosition: true };
    navigate(address, { replace: true, state });
  }, [wanted, at, form, status, review, navigate, paths]);
  return (location.state as ClaimAddressState | null)?.hasMovedOn === true;
}

/** The owner's browser remembers a claim until it is final, and its notifications while money may still reopen it. */
function useMemory({ form, status: { id, status } }: FollowedClaim): void {
  const isOver = finalPageOf(status) !== null;
  const isForGood = isSettled(status);
  useEffect(() => {
    if (isOver) forgetClaim(id);
    else if (form.owner) rememberClaim(id);
    if (isForGood) forgetSubscription(id);
  }, [isOver, isForGood, form.owner, id]);
}

function Failed({ error, retry }: { error: unknown; retry(): void }) {
  const t = useT('claim');
  const common = useT('common');
  return (
    <div className={css.failed} role="alert">
      <h1>{t('error.loadTitle')}</h1>
      <p>{errorText(error, common)}</p>
      <Button look="main" onClick={retry}>
        {t('error.retry')}
      </Button>
    </div>
  );
}
