import type { AppSecret } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { CopyButton } from '../ui/Copy.tsx';
import { Field } from '../ui/Field.tsx';
import { Qr } from '../ui/Qr.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Security.module.css';

/** An app that was told its secret shows its first code, and the recovery codes are given, this once. */
export function SetUp({ begun, onDone, onCancel }: { begun: AppSecret; onDone: () => void; onCancel?: () => void }) {
  const [codes, setCodes] = useState<string[] | null>(null);
  // Once there are codes the factor is on: there is nothing left to cancel.
  return codes ? (
    <RecoveryCodes codes={codes} onKept={onDone} />
  ) : (
    <FirstCode begun={begun} onCodes={setCodes} onCancel={onCancel} />
  );
}

/** The picture to scan stands above: it must not be scrolled away. */
const focusInPlace = (field: HTMLInputElement | null) => field?.focus({ preventScroll: true });

type FirstCodeProps = { begun: AppSecret; onCodes: (codes: string[]) => void; onCancel?: () => void };

function FirstCode({ begun, onCodes, onCancel }: FirstCodeProps) {
  const { t } = useWords();
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => api.confirmSecondFactor(code.trim()),
    onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes),
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
              <CopyButton value={begun.secret} label={t('setup.secret')} />
            </span>
          </p>
        </li>
        <li>
          <strong>{t('setup.first')}</strong>
          <div className={css.first}>
            <Field
              label={t('setup.code')}
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

/** What has come in place of a form is read from its beginning. */
const focus = (heading: HTMLElement | null) => heading?.focus();

/** Recovery codes, which nobody sees again. */
export function RecoveryCodes({ codes, onKept }: { codes: string[]; onKept: () => void }) {
  const { t } = useWords();
  return (
    <div className={css.codesBox}>
      <div className={css.codesHead}>
        <h2 className={css.heading} tabIndex={-1} ref={focus}>
          {t('setup.codes')}
        </h2>
        <CopyButton value={codes.join('\n')} label={t('setup.copyAll')} />
      </div>
      <p className={css.muted}>{t('setup.codesText')}</p>
      <ol className={css.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <Button variant="contained" onClick={onKept}>
        {t('setup.kept')}
      </Button>
    </div>
  );
}
