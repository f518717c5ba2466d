import type { MovementReason, Reserve } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Amount } from '../ui/Amount.tsx';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { after, type MovementDraft, signedAmount } from './movement.ts';

const REASONS: MovementReason[] = ['deposit', 'withdrawal', 'correction'];

/** Moves money in or out of a reserve, with what will be free afterwards before it is done. */
export function MovementDialog({ reserve, onClose }: { reserve: Reserve; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  // One key for one filled-in dialog: sent twice, it still moves once.
  const key = useRef(crypto.randomUUID());
  const [draft, setDraft] = useState<MovementDraft>({ reason: 'deposit', amount: '', note: '' });
  const change = (part: Partial<MovementDraft>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...part });
  };
  const move = useMutation({
    mutationFn: (amount: string) =>
      api.moveReserve(reserve.currencyId, { amount, reason: draft.reason, note: draft.note.trim() }, key.current),
    onSuccess: () => {
      saved(t('reserves.moved'), ['reserves'], ['currencies'], KEYS.movements(reserve.currencyId), KEYS.dashboard);
      onClose();
    },
  });
  const errors = fieldsOf(move.error);
  const result = after(reserve.available, draft);
  const amount = signedAmount(draft);
  const ready = amount !== null && Boolean(result?.possible) && draft.note.trim() !== '' && !move.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && amount && move.mutate(amount)}
      title={t('reserves.moveTitle', { code: reserve.code })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(`reserves.do.${draft.reason}`)}
          </Button>
        </>
      }
    >
      <Choice
        label={t('reserves.reason')}
        value={draft.reason}
        onValue={(reason) => change({ reason: reason as MovementReason })}
        options={REASONS.map((reason) => ({ value: reason, label: t(`reserves.reasons.${reason}`) }))}
        help={t(`reserves.reasonHelp.${draft.reason}`)}
      />
      <NumberField
        label={t('reserves.amount', { code: reserve.code })}
        value={draft.amount}
        onValue={(typed) => change({ amount: typed })}
        error={errors.amount ?? (result && !result.possible ? t('reserves.tooMuch') : undefined)}
        autoFocus
      />
      <Field
        label={t('reserves.note')}
        help={t('reserves.noteHelp')}
        value={draft.note}
        onValue={(note) => change({ note })}
        error={errors.note}
      />
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
      <Refusal error={move.error} />
    </Modal>
  );
}
