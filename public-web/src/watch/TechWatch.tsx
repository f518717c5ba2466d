import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { call } from '../api/client';
import { useLocale } from '../i18n/locale';
import { usePaths } from '../i18n/usePaths';
import { rememberServiceStatus } from './serviceStatus';

const EVERY = 10_000;

/**
 * Polls the state of the service every ten seconds: in technical mode redirects to /tech, and back when it ends. Who came
 * there by themselves stays.
 */
export function TechWatch() {
  const locale = useLocale();
  const paths = usePaths();
  // Where it is asked from does not matter for asking.
  const place = { location: useLocation(), navigate: useNavigate() };
  const here = useRef(place);
  here.current = place;

  useEffect(() => {
    const stop = new AbortController();
    const look = async () => {
      try {
        const status = await call(locale, 'GET /calculator/tech/', { signal: stop.signal, quiet: true });
        rememberServiceStatus(status);
        const { technicalMode } = status;
        const { location, navigate } = here.current;
        const { pathname, search } = location;
        const onTech = pathname === paths.tech();
        // A claim in progress stays reachable while the rest of the site is closed.
        const onClaim = pathname.startsWith(paths.claim());
        if (technicalMode.on && !onTech && !onClaim) {
          navigate(paths.tech(), { state: { back: pathname + search } });
        } else if (!technicalMode.on && onTech) {
          const back = (location.state as { back?: string } | null)?.back;
          if (back) navigate(back, { replace: true });
        }
      } catch (error) {
        if (!stop.signal.aborted) {
          console.error(error);
        }
      }
    };
    look();
    const timer = setInterval(look, EVERY);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [locale, paths]);
  return null;
}
