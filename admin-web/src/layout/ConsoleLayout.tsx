import { useMediaQuery } from '@mui/material';
import { type ReactNode, Suspense, useEffect } from 'react';
import { useLogout } from 'react-admin';
import { useLocation } from 'react-router';
import { session } from '../api/api.ts';
import { useLiveAnswers } from '../api/useLive.ts';
import { useSession } from '../api/useSession.ts';
import { ConfirmDialog } from '../security/ConfirmDialog.tsx';
import { SetUpScreen } from '../security/SetUpScreen.tsx';
import { useSchemeOfPage } from '../theme/scheme.ts';
import { SkeletonRows } from '../ui/States.tsx';
import { Bands } from './Bands.tsx';
import { Boundary } from './Boundary.tsx';
import css from './ConsoleLayout.module.css';
import { PhoneBar } from './PhoneBar.tsx';
import { SideMenu } from './SideMenu.tsx';
import { TopBar } from './TopBar.tsx';

/** The console, or, for somebody who has to set up a second factor before anything else, the page where they do. */
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
  const folded = narrow || /^\/claims\/./.test(pathname);
  return (
    <div className={css.shell}>
      <TopBar phone={phone} />
      <Bands />
      <div className={css.body}>
        {!phone && <SideMenu folded={folded} />}
        <main className={css.main} id="main">
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
