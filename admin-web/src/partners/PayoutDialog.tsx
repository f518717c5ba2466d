import type { PartnerEarnings, PartnerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Segments } from '../ui/Segments.tsx';
import { Refusal } from '../ui/States.tsx';
import { useUnits } from '../ui/Sum.tsx';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { partnerOf } from './keys.ts';

type Props = { partner: PartnerRow; earnings: PartnerEarnings[]; onClose: () => void };

/** Notes that a part of a partner's balance was sent; above the limit a colleague has to agree. */
export function PayoutDialog({ partner, earnings, onClose }: Props) {
  const { t } = useWords();
  const units = useUnits();
  const nameOf = (code: string) => units.get(code) ?? code;
  const told = useOutcome();
  const first = earnings[0];
  const [draft, setDraft] = useState({
    currency: first?.currency ?? '',
    amount: first?.balance ?? '',
    txId: '',
  });
  // One key for one filled-in dialog: sent twice, it still pays once.
  const key = useRef(crypto.randomUUID());
  const change = (part: Partial<typeof draft>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...part });
  };
  const pay = useMutation({
    mutationFn: () =>
      api.payPartner(
        partner.id,
        { currency: draft.currency, amount: draft.amount.trim().replace(',', '.'), txId: draft.txId.trim() },
        key.current,
      ),
    onSuccess: (outcome) => {
      told(outcome, t('partners.paidDone'), [...partnerOf(partner.id)], ['reserves']);
      onClose();
    },
  });
  const errors = fieldsOf(pay.error);
  const ready = draft.amount.trim() !== '' && draft.txId.trim() !== '' && !pay.isPending;
  const choose = (currency: string) =>
    change({ currency, amount: earnings.find((row) => row.currency === currency)?.balance ?? '' });
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && pay.mutate()}
      title={t('partners.payTitle', { name: partner.name })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(pay.isPending ? 'action.saving' : 'partners.pay')}
          </Button>
        </>
      }
    >
      <p>{t('partners.payText')}</p>
      {earnings.length > 1 && (
        <Segments
          label={t('partners.currency')}
          value={draft.currency}
          options={earnings.map(({ currency }) => ({ value: currency, label: nameOf(currency) }))}
          onValue={choose}
        />
      )}
      <Field
        label={`${t('partners.amount')}, ${nameOf(draft.currency)}`}
        value={draft.amount}
        error={errors.amount}
        autoComplete="off"
        onValue={(amount) => change({ amount })}
      />
      <Field
        label={t('partners.txId')}
        value={draft.txId}
        error={errors.txId}
        autoComplete="off"
        autoFocus
        onValue={(txId) => change({ txId })}
      />
      {Object.keys(errors).length === 0 && <Refusal error={pay.error} />}
    </Modal>
  );
}
