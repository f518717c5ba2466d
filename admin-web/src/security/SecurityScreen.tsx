import { Page, useTexts } from '../ui/index.ts';
import { MySessions } from './MySessions.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import css from './Security.module.css';

/** One's own account: what it is opened with, and where it is open. */
export default function SecurityScreen() {
  const { t } = useTexts();
  return (
    <Page title={t('layout.security')} line={t('security.line')}>
      <div className={css.body}>
        <SecondFactor />
        <PasswordForm />
        <MySessions />
      </div>
    </Page>
  );
}
