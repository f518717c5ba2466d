import { Button } from '../../../components/Button';
import { CopyButton } from '../../../components/CopyButton';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import styles from './partner.module.css';

interface SecretProps {
  words: string;
  /** The name of the key, where the secret is a key's. */
  name?: string;
  secret: string;
  onKept: () => void;
}

/** Shows a secret this once. */
export function Secret({ words, name, secret, onKept }: SecretProps) {
  const t = useT('partner');
  return (
    <Notice tone="warning" title={t('secret_once')} live>
      <p>{words}</p>
      {name === undefined ? null : <Line label={t('key_name')} value={name} />}
      <Line label={t('secret')} value={secret} />
      <Button onClick={onKept}>{t('kept')}</Button>
    </Notice>
  );
}

function Line({ label, value }: { label: string; value: string }) {
  return (
    <div className={styles.secret}>
      <span className="small muted">{label}</span>
      <code>{value}</code>
      <CopyButton value={value} what={label} />
    </div>
  );
}
