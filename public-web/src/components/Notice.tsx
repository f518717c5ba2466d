import type { ReactNode } from 'react';
import css from './Notice.module.css';

interface Props {
  tone: 'calm' | 'warning' | 'danger' | 'positive';
  title?: ReactNode;
  children: ReactNode;
  /** Announced to screen readers when it appears. */
  live?: boolean;
}

const SIGN = 'M10 6.5v4.5M10 14v.01M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15Z';

/** A boxed message. */
export function Notice({ tone, title, children, live = false }: Props) {
  return (
    <div className={css.notice} data-tone={tone} role={live ? 'alert' : undefined}>
      {title === undefined && tone !== 'calm' && (
        <svg className={css.sign} viewBox="0 0 20 20" aria-hidden="true">
          <path d={SIGN} />
        </svg>
      )}
      <div className={css.body}>
        {title !== undefined && <h2 className={css.title}>{title}</h2>}
        {children}
      </div>
    </div>
  );
}
