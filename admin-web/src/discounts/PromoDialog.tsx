import type { PromoInput } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Field, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { EMPTY, type PromoDraft, promoOf } from './promo.ts';

/** Makes a promo code. */
export function PromoDialog({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  // One key for one filled-in dialog: sent twice, it still makes one code.
  const key = useRef(crypto.randomUUID());
  const [draft, setDraft] = useState<PromoDraft>(EMPTY);
  const change = (part: Partial<PromoDraft>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...part });
  };
  const add = useMutation({
    mutationFn: (promo: PromoInput) => api.addPromo(promo, key.current),
    onSuccess: ({ code }) => {
      saved(t('discounts.made', { code }), KEYS.promos);
      onClose();
    },
  });
  const errors = fieldsOf(add.error);
  const promo = promoOf(draft);
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => promo && !add.isPending && add.mutate(promo)}
      title={t('discounts.addPromo')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={promo === null || add.isPending}>
            {t('discounts.make')}
          </Button>
        </>
      }
    >
      <Field
        label={t('discounts.code')}
        help={t('discounts.codeHelp')}
        value={draft.code}
        error={errors.code}
        autoComplete="off"
        autoFocus
        onValue={(code) => change({ code: code.toUpperCase() })}
      />
      <NumberField
        label={t('discounts.percent')}
        help={t('discounts.percentHelp')}
        value={draft.percent}
        error={errors.percent}
        onValue={(percent) => change({ percent })}
      />
      <NumberField
        label={t('discounts.usesMax')}
        help={t('discounts.emptyIsNone')}
        value={draft.usesMax}
        error={errors.usesMax}
        onValue={(usesMax) => change({ usesMax })}
      />
      <NumberField
        label={t('discounts.perCustomer')}
        help={t('discounts.emptyIsNone')}
        value={draft.perCustomer}
        error={errors.perCustomer}
        onValue={(perCustomer) => change({ perCustomer })}
      />
      <NumberField
        label={t('discounts.min')}
        help={t('discounts.minHelp')}
        value={draft.min}
        error={errors.min}
        onValue={(min) => change({ min })}
      />
      <Field
        label={t('discounts.starts')}
        help={t('discounts.startsHelp')}
        type="datetime-local"
        value={draft.startsAt}
        error={errors.startsAt}
        onValue={(startsAt) => change({ startsAt })}
      />
      <Field
        label={t('discounts.ends')}
        help={t('discounts.endsHelp')}
        type="datetime-local"
        value={draft.endsAt}
        error={errors.endsAt}
        onValue={(endsAt) => change({ endsAt })}
      />
      <Field
        label={t('discounts.note')}
        help={t('discounts.noteHelp')}
        value={draft.note}
        error={errors.note}
        onValue={(note) => change({ note })}
      />
      {Object.keys(errors).length === 0 && <Refusal error={add.error} />}
    </Modal>
  );
}
