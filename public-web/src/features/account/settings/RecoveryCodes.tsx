import { useEffect, useRef } from 'react';
import { Button } from '../../../components/Button';
import { CopyButton } from '../../../components/CopyButton';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { useSite } from '../../../site';
import { download } from './download';
import styles from './settings.module.css';

interface RecoveryCodesProps {
  codes: string[];
  email: string;
  onSaved: () => void;
}

/** The recovery codes, shown once. */
export function RecoveryCodes({ codes, email, onSaved }: RecoveryCodesProps) {
  const t = useT('account');
  const { siteName } = useSite();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const text = `${siteName}, ${email}\n\n${codes.join('\n')}\n`;
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        {t('code.codes_title')}
      </h3>
      <Notice tone="warning">
        <p>{t('code.codes_text')}</p>
      </Notice>
      <ol className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className={styles.buttons}>
        <CopyButton value={text} what={t('code.codes')} />
        <Button size="small" onClick={() => download(`${siteName}-codes.txt`, text, 'text/plain')}>
          {t('code.download')}
        </Button>
        <Button look="main" size="small" onClick={onSaved}>
          {t('code.saved')}
        </Button>
      </div>
    </>
  );
}
