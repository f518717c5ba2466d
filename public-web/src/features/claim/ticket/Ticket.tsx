import { createContext, type ReactNode, type RefObject, useContext, useEffect, useRef } from 'react';
import type { ClaimForm, ClaimStatus } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { lacksDestination, type ShownState, shownState } from '../../../openClaims/progress';
import type { Line } from '../line/statusStream';
import { stateTexts } from '../model/stateTexts';
import { LineNotice } from './LineNotice';
import { Stations } from './Stations';
import { Stub } from './Stub';
import css from './Ticket.module.css';

interface Props {
  form: ClaimForm;
  state: ShownState;
  /** Whether the customer must answer something that this state usually does not require. */
  needsAnswer?: boolean;
  termsEnd?: string | null;
  line: Line;
  link: string;
  completedAt?: string | null;
  children: ReactNode;
}

/** The ticket of a claim: stations and the current step, perforation, stub. */
export function Ticket({
  form,
  state,
  needsAnswer = false,
  termsEnd = null,
  line,
  link,
  completedAt = null,
  children,
}: Props) {
  return (
    <article className={css.ticket}>
      <div className={css.face}>
        <Stations state={state} giveKind={form.from.kind} needsAnswer={needsAnswer} />
        {children}
        <LineNotice line={line} />
      </div>
      <div className={css.perforation} aria-hidden="true">
        <i />
        <i />
      </div>
      <Stub form={form} state={state} termsEnd={termsEnd} line={line} link={link} completedAt={completedAt} />
    </article>
  );
}

interface ReadingState {
  /** The subject of the last heading; another heading takes the focus. */
  state: string | null;
  /**
   * Whether the customer started the change: then it scrolls into view. Changes that come by themselves do not scroll.
   */
  isAwaited: boolean;
}

export const ReadingContext = createContext<RefObject<ReadingState>>({ current: { state: null, isAwaited: false } });

interface HeadingProps {
  /** The subject: the state, or a question within it. */
  state: string;
  children: ReactNode;
  /** Beside the heading, as the countdown. */
  aside?: ReactNode;
}

/** Scrolls a heading to the top and moves the focus to it. */
export function arriveAt(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'start' });
}

/** The heading of the screen. When the claim changes, screen readers continue from here. */
export function Heading({ state, children, aside }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const reading = useContext(ReadingContext);
  useEffect(() => {
    if (reading.current.state === state) return;
    // After a navigation to a final page the site focuses the page first; the heading follows.
    const frame = requestAnimationFrame(() => {
      if (reading.current.isAwaited) arriveAt(heading.current);
      else heading.current?.focus({ preventScroll: true });
      reading.current = { state, isAwaited: false };
    });
    return () => cancelAnimationFrame(frame);
  }, [state, reading]);
  return (
    <div className={css.head}>
      <h1 ref={heading} tabIndex={-1} className={css.heading}>
        {children}
      </h1>
      {aside}
    </div>
  );
}

interface AnnouncerProps {
  form: ClaimForm;
  status: ClaimStatus;
}

/** Announces changes to screen readers; silent at first, when the page is read anyway. */
export function Announcer({ form, status }: AnnouncerProps) {
  const t = useT('claim');
  const state = shownState(status);
  const first = useRef(state);
  const { heading, text: sentence } = stateTexts(form, status);
  const text = lacksDestination(status)
    ? t('announce', { heading: t('refund.ask'), text: t('refund.askText') })
    : t('announce', { heading: t(heading), text: t(sentence) });
  return (
    <p className={css.announcer} role="status">
      {first.current === state ? '' : text}
    </p>
  );
}
