import { useMutation } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { api, confirmation, fieldsOf, useSession } from '../api/index.ts';
import { Button, Field, Modal, Refusal, useTexts } from '../ui/index.ts';

/** Asks for a fresh second factor over any open dialog; the call that needs it waits and continues by itself. */
export function ConfirmDialog() {
  const isRequested = useSyncExternalStore(confirmation.listen, confirmation.isRequested);
  return isRequested ? <ConfirmForm /> : null;
}

function ConfirmForm() {
  const { t } = useTexts();
  const user = useSession();
  const [typed, setTyped] = useState('');
  // The second factor may have been set up or removed elsewhere since: then the server names the other field.
  const [byCode, setByCode] = useState(user?.secondFactor ?? true);
  const confirm = useMutation({
    mutationFn: () => api.POST('/me/confirm', { body: byCode ? { code: typed.trim() } : { password: typed } }),
    onSuccess: () => confirmation.resolve(true),
    onError: (error) => {
      setTyped('');
      if (fieldsOf(error)[byCode ? 'password' : 'code']) setByCode(!byCode);
    },
  });
  const kind = byCode ? 'code' : 'password';
  const error = fieldsOf(confirm.error)[kind];
  const ready = typed.trim() !== '' && !confirm.isPending;
  return (
    <Modal
      open
      onClose={() => confirmation.resolve(false)}
      onSubmit={() => ready && confirm.mutate()}
      title={t('confirm.title')}
      actions={
        <>
          <Button onClick={() => confirmation.resolve(false)}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(confirm.isPending ? 'confirm.busy' : 'confirm.submit')}
          </Button>
        </>
      }
    >
      <p>{t(`confirm.${kind}Text`)}</p>
      <Field
        key={kind}
        label={t(`confirm.${kind}`)}
        help={byCode ? t('confirm.codeHelp') : undefined}
        type={byCode ? undefined : 'password'}
        autoComplete={byCode ? 'one-time-code' : 'current-password'}
        autoFocus
        value={typed}
        error={error}
        onValue={setTyped}
      />
      {!error && <Refusal error={confirm.error} />}
    </Modal>
  );
}
