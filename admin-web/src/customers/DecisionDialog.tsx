import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { Field, FormDialog, useTexts } from '../ui/index.ts';

/** What staff decide about a customer. */
export type Decision = 'ban' | 'unban' | 'resetSecondFactor';

const PATHS = {
  ban: '/customers/{id}/ban',
  unban: '/customers/{id}/unban',
  resetSecondFactor: '/customers/{id}/second-factor/reset',
} as const;

interface DecisionDialogProps {
  customer: Schema<'CustomerSummary'>;
  decision: Decision;
  onClose: () => void;
}

/** A decision about a customer. Each needs a reason, which the audit log keeps. */
export function DecisionDialog({ customer, decision, onClose }: DecisionDialogProps) {
  const { t } = useTexts();
  const { id, email } = customer;
  const texts = `customers.${decision}` as const;
  return (
    <FormDialog
      title={t(`${texts}.title`, { email })}
      initial={{ reason: '' }}
      required={['reason']}
      save={(body) => api.POST(PATHS[decision], { params: { path: { id } }, body })}
      submit={t(`${texts}.do`)}
      danger={decision !== 'unban'}
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
