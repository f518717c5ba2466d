import type { Schema } from '@agio/client/admin';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, fieldsOf } from '../api/index.ts';
import { Button, CopyButton, Field, Qr, Refusal, useTexts } from '../ui/index.ts';
import { saveFile } from '../ui/saveFile.ts';
import css from './Security.module.css';

/** The authenticator app shows its first code, then the recovery codes are shown, only once. */
export function SetUp({
  begun,
  onDone,
  onCancel,
}: {
  begun: Schema<'TotpSecretView'>;
  onDone: () => void;
  onCancel?: () => void;
}) {
  const [codes, setCodes] = useState<string[] | null>(null);
  // Once there are codes the factor is on: there is nothing left to cancel.
  return codes ? (
    <RecoveryCodes codes={codes} onSaved={onDone} />
  ) : (
    <FirstCode begun={begun} onCodes={setCodes} onCancel={onCancel} />
  );
}

/** The QR code above must stay in view. */
const focusInPlace = (field: HTMLInputElement | null) => field?.focus({ preventScroll: true });

type FirstCodeProps = { begun: Schema<'TotpSecretView'>; onCodes: (codes: string[]) => void; onCancel?: () => void };

function FirstCode({ begun, onCodes, onCancel }: FirstCodeProps) {
  const { t } = useTexts();
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => api.POST('/me/second-factor/confirm', { body: { code: code.trim() } }),
    onSuccess: ({ data }) => onCodes(data?.recoveryCodes ?? []),
  });
  const error = fieldsOf(confirm.error).code;
  return (
    <form
      className={css.app}
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <div className={css.qr}>
        <Qr text={begun.url} label={t('setup.qr')} />
      </div>
      <ol className={css.steps}>
        <li>
          <strong>{t('setup.scan')}</strong>
          <p className={css.muted}>{t('setup.scanText')}</p>
          <p className={css.manual}>
            <span className={css.muted}>{t('setup.manual')}</span>
            <span className={css.secretRow}>
              <code className={css.secret}>{begun.secret.replace(/.{4}(?=.)/g, '$& ')}</code>
              <CopyButton value={begun.secret} label={t('fields.key')} />
            </span>
          </p>
        </li>
        <li>
          <strong>{t('setup.first')}</strong>
          <div className={css.first}>
            <Field
              label={t('code.label')}
              autoComplete="one-time-code"
              inputProps={{ inputMode: 'numeric' }}
              inputRef={focusInPlace}
              value={code}
              error={error}
              onValue={setCode}
            />
            {!error && <Refusal error={confirm.error} />}
            <div className={css.buttons}>
              <Button type="submit" variant="contained" disabled={code.trim() === '' || confirm.isPending}>
                {t('setup.turnOn')}
              </Button>
              {onCancel && <Button onClick={onCancel}>{t('action.cancel')}</Button>}
            </div>
          </div>
        </li>
      </ol>
    </form>
  );
}

/** Screen readers read the replacement of the form from its beginning. */
const focus = (heading: HTMLElement | null) => heading?.focus();

/** Recovery codes, shown only once. */
export function RecoveryCodes({ codes, onSaved }: { codes: string[]; onSaved: () => void }) {
  const { t } = useTexts();
  const [copied, setCopied] = useState(false);
  const text = codes.join('\n');
  return (
    <div className={css.codesBox}>
      <h2 className={css.heading} tabIndex={-1} ref={focus}>
        {t('setup.codes')}
      </h2>
      <p className={css.muted}>{t('setup.codesText')}</p>
      <ol className={css.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={css.buttons}>
        <Button
          variant="outlined"
          onClick={() => saveFile('recovery-codes.txt', new Blob([`${text}\n`], { type: 'text/plain' }))}
        >
          {t('setup.download')}
        </Button>
        <Button variant="outlined" onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}>
          {t(copied ? 'copy.done' : 'setup.copyAll')}
        </Button>
        <Button variant="contained" onClick={onSaved}>
          {t('setup.kept')}
        </Button>
      </div>
    </div>
  );
}
