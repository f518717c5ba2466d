import { useMediaQuery } from '@mui/material';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useLogout } from 'react-admin';
import { useLocation } from 'react-router';
import { markStale, session, useLiveAnswers, useSession } from '../api/index.ts';
import { ConfirmDialog } from '../security/ConfirmDialog.tsx';
import { SetUpScreen } from '../security/SetUpScreen.tsx';
import { SetupGuide } from '../setup/SetupGuide.tsx';
import { useSchemeOfPage } from '../theme/scheme.ts';
import { SkeletonRows, useTexts } from '../ui/index.ts';
import { Bands } from './Bands.tsx';
import { Boundary } from './Boundary.tsx';
import css from './ConsoleLayout.module.css';
import { PhoneBar } from './PhoneBar.tsx';
import { SideMenu } from './SideMenu.tsx';
import { TopBar } from './TopBar.tsx';

/** The console, or the set-up of a second factor where it is required first. */
export function ConsoleLayout({ children }: { children: ReactNode }) {
  const user = useSession();
  useSchemeOfPage();
  useEndOfSession();
  return user?.setupNeeded ? <SetUpScreen /> : <Shell>{children}</Shell>;
}

/** Bar above, menu at the side or, on a phone, below; an open claim folds the menu to its icons. */
function Shell({ children }: { children: ReactNode }) {
  const phone = useMediaQuery('(max-width: 760px)', { noSsr: true });
  const narrow = useMediaQuery('(max-width: 1100px)', { noSsr: true });
  const { pathname } = useLocation();
  useLiveAnswers();
  useServerTexts();
  const folded = narrow || /^\/claims\/./.test(pathname);
  return (
    <div className={css.shell}>
      <SkipLink />
      <TopBar phone={phone} />
      <Bands />
      <SetupGuide />
      <div className={css.body}>
        {!phone && <SideMenu folded={folded} />}
        <main className={css.main} id="main" tabIndex={-1}>
          <Boundary key={pathname.split('/')[1]}>
            <Suspense fallback={<SkeletonRows />}>{children}</Suspense>
          </Boundary>
        </main>
      </div>
      {phone && <PhoneBar />}
      <ConfirmDialog />
    </div>
  );
}

/** Past the bar and the menu, for the keyboard. */
function SkipLink() {
  const { t } = useTexts();
  return (
    <button type="button" className={css.skip} onClick={() => document.getElementById('main')?.focus()}>
      {t('layout.skip')}
    </button>
  );
}

/** Reads everything again in another language: some texts come from the server. */
function useServerTexts(): void {
  const client = useQueryClient();
  const { language } = useTexts();
  const shown = useRef(language);
  useEffect(() => {
    if (shown.current !== language) markStale(client, '*');
    shown.current = language;
  }, [client, language]);
}

/** Goes to sign-in when the server would not renew the session any more. */
function useEndOfSession(): void {
  const logout = useLogout();
  useEffect(
    () =>
      session.listen((user) => {
        if (!user) void logout();
      }),
    [logout],
  );
}
