import { Notice } from '../components/Notice';
import { useT } from '../i18n/texts';

/** What customers see above every page while no claims can be stored. */
export function ClaimsPaused() {
  const t = useT('tech');
  return (
    <div className="wrap">
      <Notice tone="warning" live>
        {t('claims_paused')}
      </Notice>
    </div>
  );
}
