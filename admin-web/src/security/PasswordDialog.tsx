import { useRef } from 'react';
import { Field, FormDialog, useTexts } from '../ui/index.ts';

type Props<Data> = {
  title: string;
  text?: string;
  send: (password: string) => Promise<{ data?: Data; response: Response }>;
  onDone: (data: Data) => void;
  onClose: () => void;
};

/** Asks for the current password before the sign-in is changed. The caller shows what follows. */
export function PasswordDialog<Data>({ title, text, send, onDone, onClose }: Props<Data>) {
  const { t } = useTexts();
  const isDone = useRef(false);
  return (
    <FormDialog
      title={title}
      initial={{ password: '' }}
      isReady={({ password }) => password !== ''}
      save={({ password }) => send(password)}
      submit={t('security.go')}
      stale={[]}
      onDone={(data) => {
        isDone.current = true;
        onDone(data as Data);
      }}
      onClose={() => !isDone.current && onClose()}
    >
      {({ field }) => (
        <>
          {text && <p>{text}</p>}
          <Field
            label={t('security.passwordNow')}
            type="password"
            autoComplete="current-password"
            autoFocus
            {...field('password')}
          />
        </>
      )}
    </FormDialog>
  );
}
