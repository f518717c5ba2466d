import { useState } from 'react';
import { Field } from '../ui/Field.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './SignIn.module.css';

/** A code of the app, or, when the phone is not at hand, a recovery code. */
export function CodeField({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const { t } = useWords();
  const [recovery, setRecovery] = useState(false);
  const turn = () => {
    setRecovery(!recovery);
    onValue('');
  };
  return (
    <>
      {recovery ? (
        <Field
          key="recovery"
          label={t('code.recovery')}
          help={t('code.recoveryHelp')}
          autoComplete="off"
          autoFocus
          value={value}
          onValue={onValue}
        />
      ) : (
        <Field
          key="app"
          label={t('code.label')}
          help={t('code.help')}
          name="otp"
          autoComplete="one-time-code"
          inputProps={{ inputMode: 'numeric' }}
          autoFocus
          value={value}
          onValue={onValue}
        />
      )}
      <button type="button" className={css.link} onClick={turn}>
        {t(recovery ? 'code.useApp' : 'code.useRecovery')}
      </button>
    </>
  );
}
