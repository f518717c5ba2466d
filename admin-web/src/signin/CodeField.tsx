import { useState } from 'react';
import { Field, useTexts } from '../ui/index.ts';
import css from './SignIn.module.css';

/** A code of the app, or, when the phone is not at hand, a recovery code. */
export function CodeField({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const { t } = useTexts();
  const [recovery, setRecovery] = useState(false);
  const toggle = () => {
    setRecovery(!recovery);
    onValue('');
  };
  return (
    <>
      <Field
        key={String(recovery)}
        label={t(recovery ? 'code.recovery' : 'code.label')}
        help={t(recovery ? 'code.recoveryHelp' : 'code.help')}
        {...(recovery
          ? { autoComplete: 'off' }
          : { name: 'otp', autoComplete: 'one-time-code', inputProps: { inputMode: 'numeric' } })}
        autoFocus
        value={value}
        onValue={onValue}
      />
      <button type="button" className={css.link} onClick={toggle}>
        {t(recovery ? 'code.useApp' : 'code.useRecovery')}
      </button>
    </>
  );
}
