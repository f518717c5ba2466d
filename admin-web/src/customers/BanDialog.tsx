import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { Field, FormDialog, useTexts } from '../ui/index.ts';

/** Bans a customer or lifts the ban. Either needs a reason, which the audit log keeps. */
export function BanDialog({ customer, onClose }: { customer: Schema<'CustomerSummary'>; onClose: () => void }) {
  const { t } = useTexts();
  const { id, email, bannedAt } = customer;
  const texts = bannedAt ? 'customers.unban' : 'customers.ban';
  return (
    <FormDialog
      title={t(`${texts}.title`, { email })}
      initial={{ reason: '' }}
      isReady={({ reason }) => reason.trim() !== ''}
      save={(body) =>
        api.POST(bannedAt ? '/customers/{id}/unban' : '/customers/{id}/ban', { params: { path: { id } }, body })
      }
      submit={t(`${texts}.do`)}
      danger={!bannedAt}
      done={t(`${texts}.done`, { email })}
      stale={['/customers']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>{t(`${texts}.text`)}</p>
          <Field
            label={t(`${texts}.reason`)}
            help={t(`${texts}.help`)}
            multiline
            minRows={2}
            autoFocus
            {...field('reason')}
          />
        </>
      )}
    </FormDialog>
  );
}
