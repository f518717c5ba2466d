import { type ComponentProps, useState } from 'react';
import { Field } from '../components/Field';
import { useT } from '../i18n/texts';
import styles from './PasswordField.module.css';

interface PasswordFieldProps extends Omit<ComponentProps<typeof Field>, 'type' | 'verified'> {
  autoComplete: 'current-password' | 'new-password';
}

/** A password that can be revealed. */
export function PasswordField(props: PasswordFieldProps) {
  const t = useT('account');
  const [isShown, setShown] = useState(false);
  return (
    <div className={styles.password}>
      <Field
        {...props}
        type={isShown ? 'text' : 'password'}
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        aria-required="true"
      />
      <button
        type="button"
        className={styles.look}
        aria-pressed={isShown}
        aria-label={t('password.look')}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? t('password.hide') : t('password.show')}
      </button>
    </div>
  );
}
