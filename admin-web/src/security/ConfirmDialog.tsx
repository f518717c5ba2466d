import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { api, confirmation } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { useSession } from '../api/useSession.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';

/** Asks once more who is there, over whatever is open; the call that needs it waits behind and goes on by itself. */
export function ConfirmDialog() {
  const asked = useSyncExternalStore(confirmation.listen, confirmation.isAsked);
  return asked ? <Question /> : null;
}

function Question() {
  const { t } = useWords();
  const user = useSession();
  const [shown, setShown] = useState('');
  // The second factor may have been set up or taken away elsewhere since: then the server names the other field.
  const [byCode, setByCode] = useState(user?.secondFactor ?? true);
  const confirm = useMutation({
    mutationFn: () => api.confirm(byCode ? { code: shown.trim() } : { password: shown }),
    onSuccess: () => confirmation.answer(true),
    onError: (error) => {
      setShown('');
      if (fieldsOf(error)[byCode ? 'password' : 'code']) setByCode(!byCode);
    },
  });
  const kind = byCode ? 'code' : 'password';
  const error = fieldsOf(confirm.error)[kind];
  const ready = shown.trim() !== '' && !confirm.isPending;
  return (
    <Modal
      open
      onClose={() => confirmation.answer(false)}
      onSubmit={() => ready && confirm.mutate()}
      title={t('confirm.title')}
      actions={
        <>
          <Button onClick={() => confirmation.answer(false)}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(confirm.isPending ? 'confirm.busy' : 'confirm.submit')}
          </Button>
        </>
      }
    >
      <p>{t(`confirm.${kind}Text`)}</p>
      {byCode ? (
        <Field
          key="code"
          label={t('confirm.code')}
          help={t('confirm.codeHelp')}
          autoComplete="one-time-code"
          autoFocus
          value={shown}
          error={error}
          onValue={setShown}
        />
      ) : (
        <Field
          key="password"
          label={t('confirm.password')}
          type="password"
          autoComplete="current-password"
          autoFocus
          value={shown}
          error={error}
          onValue={setShown}
        />
      )}
      {!error && <Refusal error={confirm.error} />}
    </Modal>
  );
}
