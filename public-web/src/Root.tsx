import { startTransition, useEffect, useState } from 'react';
import { type Location, Outlet, useLocation } from 'react-router';
import { call } from './api/client';
import type { Settings } from './api/types';
import { Connection } from './components/Connection';
import { Layout } from './components/Layout';
import { LoadingBar } from './components/LoadingBar';
import { Toasts } from './components/Toasts';
import { PageErrors } from './features/error/PageErrors';
import { type Locale, LocaleContext } from './i18n/locale';
import { type Texts, TextsContext } from './i18n/texts';
import { servedMarket } from './served/servedMarket';
import { Dialogs } from './session/Dialogs';
import { usePart } from './session/usePart';
import { DEFAULT_SITE, type Site, SiteContext, useSite } from './site';
import { storeOf, useStore } from './store';
import { useScrollPosition } from './useScrollPosition';
import { useClaimsPaused } from './watch/serviceStatus';
import { TechWatch } from './watch/TechWatch';
import { VersionWatch } from './watch/VersionWatch';

interface RootProps {
  locale: Locale;
  texts: Texts;
  isOpening?: boolean;
  /** Whether the page of an address has no navigation. */
  isBare?: (address: Location) => boolean;
}

/** The context of every page, its layout, the parts beside it, and the watches. */
export function Root({ locale, texts, isOpening = false, isBare = () => false }: RootProps) {
  const site = useSettings(locale, isOpening);
  const location = useLocation();
  useScrollPosition();
  return (
    <TextsContext value={texts}>
      <LocaleContext value={locale}>
        <SiteContext value={site}>
          <LoadingBar />
          <Paused />
          <Connection />
          <Layout isBare={isBare(location)}>
            <PageErrors at={location.key}>
              <Outlet />
            </PageErrors>
          </Layout>
          <Dialogs />
          <Support />
          <Toasts />
          <TechWatch />
          <VersionWatch />
          <FocusOnNavigation />
        </SiteContext>
      </LocaleContext>
    </TextsContext>
  );
}

const loadPaused = async () => (await import('./watch/ClaimsPaused')).ClaimsPaused;

/** Loaded only while claims are paused. */
function Paused() {
  const isPaused = useClaimsPaused();
  const ClaimsPaused = usePart(isPaused, loadPaused, undefined, 'tech');
  return isPaused && ClaimsPaused ? <ClaimsPaused /> : null;
}

const loadChat = async () => (await import('./chat/Chat')).Chat;

/** Whether the settings are the server's. */
const settingsKnown = storeOf(false);

/** The chat or, on a wide screen, the contacts of support: loaded once it is known which. */
function Support() {
  const { chat, contactsOnClaims } = useSite();
  const isKnown = useStore(settingsKnown);
  const isNeeded = isKnown && (chat !== null || window.matchMedia('(min-width: 45.01em)').matches);
  const Chat = usePart(isNeeded, loadChat, undefined, 'chat');
  return Chat ? <Chat chat={chat} contactsOnClaims={contactsOnClaims} /> : null;
}

function useSettings(locale: Locale, isOpening: boolean): Site {
  const [site, setSite] = useState({ ...DEFAULT_SITE, isOpening });
  useEffect(() => {
    const served = servedMarket();
    const show = (settings: Settings) => {
      setSite((now) => unlessSame(now, { ...settings, isOpening }));
      settingsKnown.set(true);
    };
    if (served) return startTransition(() => show(served.settings));
    const stop = new AbortController();
    call(locale, 'GET /calculator/settings/', { signal: stop.signal, quiet: true })
      .then(show)
      .catch((error) => {
        if (!stop.signal.aborted) {
          console.error(error);
        }
      });
    return () => stop.abort();
  }, [locale, isOpening]);
  return site;
}

/** The page was usually built with the same settings. Then it is not rendered anew. */
function unlessSame(now: Site, next: Site): Site {
  const fields = Object.keys(now) as (keyof Site)[];
  return fields.every((field) => JSON.stringify(now[field]) === JSON.stringify(next[field])) ? now : next;
}

/** Moves the focus to the beginning of a new page, but not out of a menu that was opened meanwhile. */
function FocusOnNavigation() {
  const { pathname } = useLocation();
  const [first, setFirst] = useState(pathname);
  useEffect(() => {
    if (first !== pathname) {
      setFirst(pathname);
      if (document.querySelector(':popover-open, header [aria-expanded="true"]')) return;
      const main = document.getElementById('main');
      // Where the former page had it already, nothing would be announced.
      main?.blur();
      main?.focus({ preventScroll: true });
    }
  }, [first, pathname]);
  return null;
}
