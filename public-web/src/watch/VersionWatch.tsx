import { useEffect } from 'react';
import { toast } from '../components/toasts';
import { useT } from '../i18n/texts';

const EVERY = 60_000;

/** The build of this page, written into its head. */
function ownBuild(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content ?? null;
}

/** Checks once a minute for a new version of the site, and offers to load it. */
export function VersionWatch() {
  const t = useT('common');
  useEffect(() => {
    const own = ownBuild();
    if (own === null) return;
    const timer = setInterval(async () => {
      try {
        const response = await fetch('/version.json', { cache: 'no-store' });
        const { build } = (await response.json()) as { build?: string };
        if (build && build !== own) {
          clearInterval(timer);
          const action = { label: t('version_load'), run: () => window.location.reload() };
          toast(t('version_new'), { action, lasting: true });
        }
      } catch (error) {
        console.error(error);
      }
    }, EVERY);
    return () => clearInterval(timer);
  }, [t]);
  return null;
}
