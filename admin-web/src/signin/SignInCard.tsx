import type { FormEvent, ReactNode } from 'react';
import { LanguageSwitch } from '../layout/LanguageSwitch.tsx';
import { Mark } from '../layout/Mark.tsx';
import { siteName } from '../layout/siteName.ts';
import { useSchemeOfPage } from '../theme/scheme.ts';
import { Rosette, useTitle } from '../ui/index.ts';
import css from './SignIn.module.css';

/** A screen before the console: one card on the rosette. With `onSubmit` the card is a form. */
export function SignInCard({
  title,
  wide,
  onSubmit,
  children,
}: {
  title: string;
  wide?: boolean;
  onSubmit?: () => void;
  children: ReactNode;
}) {
  useSchemeOfPage();
  useTitle(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const content = (
    <>
      <div className={css.head}>
        <Mark />
        <strong className={css.brand}>{siteName}</strong>
        <LanguageSwitch />
      </div>
      <h1 className={css.title}>{title}</h1>
      {children}
    </>
  );
  const card = wide ? `${css.card} ${css.wide}` : css.card;
  return (
    <main className={css.page}>
      <Rosette className={css.rosette} />
      {onSubmit ? (
        <form className={card} onSubmit={submit}>
          {content}
        </form>
      ) : (
        <div className={card}>{content}</div>
      )}
    </main>
  );
}
