import { api } from '../api/index.ts';
import { Field, FormDialog, useTexts } from '../ui/index.ts';

/** Requests the verification of an account. */
export function RequestDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('verifications.askTitle')}
      initial={{ email: '' }}
      required={['email']}
      save={({ email }, once) => api.POST('/verifications', { ...once, body: { email: email.trim() } })}
      submit={t('verifications.askAccount')}
      done={t('verifications.asked')}
      stale={['/verifications']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>{t('verifications.askText')}</p>
          <Field label={t('fields.email')} type="email" autoComplete="off" autoFocus {...field('email')} />
        </>
      )}
    </FormDialog>
  );
}
