import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { Amount, Choice, Field, FormDialog, NumberField, useTexts } from '../ui/index.ts';
import { after, type MovementDraft, signedAmount } from './movement.ts';

const REASONS = ['deposit', 'withdrawal', 'correction'] satisfies Schema<'ReserveMovementReason'>[];

/** Moves money in or out of a reserve, and shows what will be available afterwards. */
export function MovementDialog({ reserve, onClose }: { reserve: Schema<'ReserveView'>; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('reserves.moveTitle', { code: reserve.code })}
      initial={{ reason: 'deposit', amount: '', note: '' } as MovementDraft}
      required={['amount', 'note']}
      isReady={(draft) => after(reserve.available, draft)?.possible !== false}
      save={(draft, once) =>
        api.POST('/reserves/{currencyId}/movements', {
          ...once,
          params: { path: { currencyId: reserve.currencyId } },
          body: { amount: signedAmount(draft) ?? '', reason: draft.reason, note: draft.note.trim() },
        })
      }
      submit={(draft) => t(`reserves.do.${draft.reason}`)}
      done={t('reserves.moved')}
      stale={['/reserves*', '/currencies', '/dashboard']}
      onClose={onClose}
    >
      {({ field, draft }) => {
        const result = after(reserve.available, draft);
        const amount = field('amount');
        return (
          <>
            <Choice
              label={t('reserves.reason')}
              options={REASONS.map((reason) => ({ value: reason, label: t(`reserves.reasons.${reason}`) }))}
              help={t(`reserves.reasonHelp.${draft.reason}`)}
              {...field('reason')}
            />
            <NumberField
              label={t('reserves.amount', { code: reserve.code })}
              autoFocus
              {...amount}
              error={amount.error ?? (result && !result.possible ? t('reserves.tooMuch') : undefined)}
            />
            <Field label={t('reserves.note')} help={t('reserves.noteHelp')} {...field('note')} />
            <p>
              {t('reserves.now')} <Amount value={reserve.available} />
              {result?.possible && (
                <>
                  {' → '}
                  <strong>
                    <Amount value={result.amount} />
                  </strong>
                </>
              )}
            </p>
          </>
        );
      }}
    </FormDialog>
  );
}
