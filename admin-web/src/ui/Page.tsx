import { type ReactNode, useEffect } from 'react';
import { siteName } from '../layout/siteName.ts';
import css from './Page.module.css';

/** A screen: its one heading, a line under it, and what can be done with the whole of it. */
export function Page({
  title,
  line,
  actions,
  children,
}: {
  title: ReactNode;
  line?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useTitle(typeof title === 'string' ? title : null);
  return (
    <div className={css.page}>
      <header className={css.head}>
        <div className={css.heading}>
          <h1 className={css.title}>{title}</h1>
          {line && <p className={css.line}>{line}</p>}
        </div>
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title) document.title = `${title} · ${siteName}`;
  }, [title]);
}
