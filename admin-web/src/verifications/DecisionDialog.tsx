import type { Schema } from '@agio/client/admin';
import { useQueryClient } from '@tanstack/react-query';
import { api, isProblem, markStale } from '../api/index.ts';
import { Choice, Field, FormDialog, Toggle, useTexts } from '../ui/index.ts';

export type Verification = Schema<'VerificationDetails'>;
export type Decision = Schema<'DecideVerificationRequest'>['decision'];

type Props = { verification: Verification; decision: Decision; onClose: () => void };

/** A reason in the staff member's own words. */
const OTHER = 'other';
/** Refusals that mean the page is out of date. */
const OUTDATED = ['verification_changed', 'verification_closed', 'claim_changed'];

type Draft = { reason: Schema<'VerificationReasonCode'> | ''; own: boolean; ru: string; en: string };

/** Shows the effect of a decision and asks for the reason the customer sees. */
export function DecisionDialog({ verification, decision, onClose }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const { id, claim, revision, reasons } = verification;
  const needsReason = decision !== 'accept';
  const writes = ({ reason, own }: Draft) => needsReason && (own || reason === OTHER);
  const stale = ['/verifications*', '/dashboard', ...(claim ? [`/claims/${claim.id}`] : [])];
  const ofAccount = claim === null && decision !== 'again' ? 'Account' : '';
  return (
    <FormDialog
      title={t(`verifications.ask.${decision}`)}
      initial={{ reason: '', own: false, ru: '', en: '' } as Draft}
      required={(draft) => [
        ...(needsReason ? (['reason'] as const) : []),
        ...(writes(draft) ? (['ru', 'en'] as const) : []),
      ]}
      save={async (draft, once) => {
        const { reason, ru, en } = draft;
        try {
          return await api.POST('/verifications/{id}/decision', {
            ...once,
            params: { path: { id } },
            body: {
              decision,
              revision,
              ...(needsReason && reason && { reason }),
              ...(writes(draft) && { message: { ru, en } }),
            },
          });
        } catch (error) {
          if (isProblem(error) && OUTDATED.includes(error.code)) markStale(client, ...stale);
          throw error;
        }
      }}
      submit={t(`verifications.decisions.${decision}`)}
      danger={decision === 'reject'}
      done={t(`verifications.done.${decision}`)}
      stale={stale}
      onClose={onClose}
    >
      {({ field, toggle, error, draft }) => (
        <>
          <p>{t(`verifications.does.${decision}${ofAccount}`)}</p>
          {needsReason && (
            <Choice
              label={t('fields.reason')}
              options={reasons.map(({ code, text }) => ({
                value: code,
                label: code === OTHER ? t('verifications.other') : text,
              }))}
              {...field('reason')}
            />
          )}
          {needsReason && draft.reason !== OTHER && draft.reason !== '' && (
            <Toggle label={t('verifications.own')} {...toggle('own')} />
          )}
          {writes(draft) && (
            <>
              <Field
                label={t('verifications.wordsRu')}
                multiline
                minRows={2}
                {...field('ru')}
                error={error('ru') ?? error('message.ru')}
              />
              <Field
                label={t('verifications.wordsEn')}
                multiline
                minRows={2}
                {...field('en')}
                error={error('en') ?? error('message.en')}
              />
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}
