import { useEffect } from 'react';
import { dismiss, toast } from '../components/toasts';
import { useT } from '../i18n/texts';

/** What customers see over every page while no claims can be stored: nothing moves, and it can be put away. */
export function ClaimsPaused() {
  const t = useT('tech');
  useEffect(() => {
    const id = toast(t('claims_paused'), { lasting: true });
    return () => dismiss(id);
  }, [t]);
  return null;
}
