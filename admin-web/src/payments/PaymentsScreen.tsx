import { Page, useTexts } from '../ui/index.ts';
import { PaymentAttempts } from './PaymentAttempts.tsx';
import { PaymentMovements } from './PaymentMovements.tsx';
import { PaymentRoutes } from './PaymentRoutes.tsx';
import { PayoutsSwitch } from './PayoutsSwitch.tsx';

/** Payments without staff: how currencies are watched and paid, and what needs staff. */
export default function PaymentsScreen() {
  const { t } = useTexts();
  return (
    <Page title={t('screens.payments')} line={t('payments.line')} actions={<PayoutsSwitch />}>
      <PaymentRoutes />
      <PaymentMovements />
      <PaymentAttempts />
    </Page>
  );
}
