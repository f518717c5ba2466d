import type { CustomerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

/** Shuts a customer out, or lets them back in. Either has a reason, which stays in the log. */
export function BanDialog({ customer, onClose }: { customer: CustomerRow; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [reason, setReason] = useState('');
  const { id, email } = customer;
  const words = customer.bannedAt ? 'customers.unban' : 'customers.ban';
  const decide = useMutation({
    mutationFn: () => (customer.bannedAt ? api.unbanCustomer(id, reason) : api.banCustomer(id, reason)),
    onSuccess: () => {
      saved(t(`${words}.done`, { email }), KEYS.customers);
      onClose();
    },
  });
  const isEmpty = reason.trim() === '';
  const send = () => {
    if (!isEmpty && !decide.isPending) decide.mutate();
  };
  const refused = fieldsOf(decide.error).reason;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={send}
      title={t(`${words}.title`, { email })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            variant={customer.bannedAt ? 'contained' : 'outlined'}
            color={customer.bannedAt ? 'inherit' : 'error'}
            disabled={decide.isPending || isEmpty}
          >
            {t(`${words}.do`)}
          </Button>
        </>
      }
    >
      <p>{t(`${words}.text`)}</p>
      <Field
        label={t(`${words}.reason`)}
        help={t(`${words}.help`)}
        error={refused}
        value={reason}
        multiline
        minRows={2}
        autoFocus
        onValue={setReason}
      />
      {!refused && <Refusal error={decide.error} />}
    </Modal>
  );
}
