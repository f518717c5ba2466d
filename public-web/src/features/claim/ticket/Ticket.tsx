import { createContext, type ReactNode, type RefObject, useContext, useEffect, useRef } from 'react';
import type { ClaimForm, ClaimState } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import type { Line } from '../line/statusStream';
import { LineNotice } from './LineNotice';
import { Stations } from './Stations';
import { Stub } from './Stub';
import css from './Ticket.module.css';

interface Props {
  form: ClaimForm;
  state: ClaimState;
  /** Whether the customer has to say something a claim in this state usually does not ask. */
  isAsked?: boolean;
  /** Until when the agreed rate holds. */
  termsEnd?: string | null;
  line: Line;
  link: string;
  completedAt?: string | null;
  /** The screen of the present state. */
  children: ReactNode;
}

/** The paper of a claim: face with the stations and one thing to do, perforation, stub. */
export function Ticket({
  form,
  state,
  isAsked = false,
  termsEnd = null,
  line,
  link,
  completedAt = null,
  children,
}: Props) {
  return (
    <article className={css.ticket}>
      <div className={css.face}>
        <Stations state={state} sentKind={form.from.kind} isAsked={isAsked} />
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
  /** What the heading that was last read is of; a heading of anything else takes the focus. */
  state: string | null;
  /** Whether the customer pressed for what comes next: then it comes into view. What moves on by itself leaves the page where it is. */
  isAwaited: boolean;
}

export const ReadingContext = createContext<RefObject<ReadingState>>({ current: { state: null, isAwaited: false } });

interface HeadingProps {
  /** What it is the heading of: the state, or what is asked for in it. */
  state: string;
  children: ReactNode;
  /** Stands beside the heading, as the countdown does. */
  aside?: ReactNode;
}

/** Brings a heading to the top of the screen and continues reading from it. */
export function arriveAt(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'start' });
}

/** The one heading of the screen. When the claim moves on, whoever reads by ear continues from here. */
export function Heading({ state, children, aside }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const reading = useContext(ReadingContext);
  useEffect(() => {
    if (reading.current.state === state) return;
    // After a move to a final page the site puts the focus on the page first; the heading comes after it.
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

/** What a screen reader is told when the claim moves on by itself. Silent at first, when the page is read anyway. */
export function Announcer({ state }: { state: ClaimState }) {
  const t = useT('claim');
  const first = useRef(state);
  const words = t('announce', { heading: t(`state.${state}.heading`), text: t(`state.${state}.text`) });
  return (
    <p className={css.announcer} role="status">
      {first.current === state ? '' : words}
    </p>
  );
}
