import { api, useDashboard, useMayEdit } from '../api/index.ts';
import { ActionButton, useTexts } from '../ui/index.ts';

const STALE = ['/dashboard'] as const;

/** Stops all that is sent without staff, and lets it go on. */
export function PayoutsSwitch() {
  const { t } = useTexts();
  const { data } = useDashboard();
  const mayEdit = useMayEdit('payments');
  if (!data || !mayEdit) return null;
  return data.payouts.closed ? (
    <ActionButton
      key="open"
      variant="contained"
      label={t('payments.openPayouts')}
      sure={t('payments.openSure')}
      run={() => api.POST('/payments/payouts/open')}
      done={t('payments.opened')}
      stale={[...STALE]}
    />
  ) : (
    <ActionButton
      key="close"
      variant="outlined"
      label={t('payments.closePayouts')}
      sure={t('payments.closeSure')}
      run={() => api.POST('/payments/payouts/close')}
      done={t('payments.closed')}
      stale={[...STALE]}
    />
  );
}
