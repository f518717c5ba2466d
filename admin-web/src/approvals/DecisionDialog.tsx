import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { Field, FormDialog, useTexts } from '../ui/index.ts';
import { ApprovalFacts } from './ApprovalFacts.tsx';

export type Decision = 'approve' | 'refuse';

type Props = { approval: Schema<'ApprovalRequestView'>; decision: Decision; onClose: () => void };

/** Asks once more before a request is carried out or refused; a refusal needs a reason. */
export function DecisionDialog({ approval, decision, onClose }: Props) {
  const { t } = useTexts();
  const params = { path: { id: approval.id } };
  const refuses = decision === 'refuse';
  return (
    <FormDialog
      title={t(`approvals.${decision}Title`)}
      initial={{ reason: '' }}
      required={refuses ? ['reason'] : []}
      save={({ reason }) =>
        refuses
          ? api.POST('/approvals/{id}/reject', { params, body: { reason: reason.trim() } })
          : api.POST('/approvals/{id}/approve', { params })
      }
      submit={t(`approvals.${decision}`)}
      danger={refuses}
      done={t(`approvals.${decision}d`)}
      stale={['*']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>
            <strong>{approval.title}</strong>. {t(`approvals.${decision}Text`, { name: approval.proposedBy.name })}
          </p>
          <ApprovalFacts approval={approval} />
          {refuses && (
            <Field
              label={t('fields.why')}
              help={t('approvals.reasonHelp')}
              multiline
              minRows={2}
              autoFocus
              {...field('reason')}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
