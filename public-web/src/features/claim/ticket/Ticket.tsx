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
  line: Line;
  link: string;
  completedAt?: string | null;
  /** The screen of the present state. */
  children: ReactNode;
}

/** The paper of a claim: face with the stations and one thing to do, perforation, stub. */
export function Ticket({ form, state, line, link, completedAt = null, children }: Props) {
  return (
    <article className={css.ticket}>
      <div className={css.face}>
        <Stations state={state} sentKind={form.from.kind} />
        {children}
        <LineNotice line={line} />
      </div>
      <div className={css.perforation} aria-hidden="true">
        <i />
        <i />
      </div>
      <Stub form={form} state={state} line={line} link={link} completedAt={completedAt} />
    </article>
  );
}

/** The state whose heading was last read; a heading of another one takes the focus. */
export const ReadState = createContext<RefObject<ClaimState | null>>({ current: null });

interface HeadingProps {
  state: ClaimState;
  children: ReactNode;
  /** Stands beside the heading, as the countdown does. */
  aside?: ReactNode;
}

/** The one heading of the screen. When the claim moves on, whoever reads by ear continues from here. */
export function Heading({ state, children, aside }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const read = useContext(ReadState);
  useEffect(() => {
    if (read.current === state) return;
    // After a move to a final page the site puts the focus on the page first; the heading comes after it.
    const frame = requestAnimationFrame(() => {
      read.current = state;
      heading.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [state, read]);
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
