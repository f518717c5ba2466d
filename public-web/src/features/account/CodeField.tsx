import { type ComponentProps, useState } from 'react';
import { Field } from '../../components/Field';
import { useT } from '../../i18n/texts';
import styles from './CodeField.module.css';

/** A code of the authenticator app, or a recovery code. */
export function CodeField(props: Omit<ComponentProps<typeof Field>, 'label' | 'hint'>) {
  const t = useT('account');
  const [isRecovery, setRecovery] = useState(false);
  return (
    <div className={styles.code}>
      <Field
        {...props}
        label={isRecovery ? t('code.recovery') : t('code.app')}
        hint={isRecovery ? t('code.recovery_hint') : t('code.app_hint')}
        type="text"
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoComplete={isRecovery ? 'off' : 'one-time-code'}
        autoCapitalize={isRecovery ? 'characters' : 'off'}
        autoCorrect="off"
        spellCheck={false}
        aria-required="true"
      />
      <button type="button" className="linkbtn" onClick={() => setRecovery(!isRecovery)}>
        {isRecovery ? t('code.use_app') : t('code.use_recovery')}
      </button>
    </div>
  );
}
