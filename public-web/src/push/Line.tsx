import type { ReactNode } from 'react';
import { cx } from '../components/cx';
import css from './Line.module.css';

interface LineProps {
  text: string;
  isFailure?: boolean;
  /** It only takes the place of the line. */
  isSpacer?: boolean;
  children?: ReactNode;
}

/** A text with what can be done about it. */
export function Line({ text, isFailure = false, isSpacer = false, children }: LineProps) {
  return (
    <div className={cx(css.line, isSpacer && css.spacer)} aria-hidden={isSpacer || undefined}>
      <p className={isFailure ? css.failure : css.text} role={isFailure ? 'alert' : undefined}>
        {text}
      </p>
      {children}
    </div>
  );
}
