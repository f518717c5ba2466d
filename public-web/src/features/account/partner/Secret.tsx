import { Button } from '../../../components/Button';
import { CopyButton } from '../../../components/CopyButton';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import styles from './partner.module.css';

interface SecretProps {
  text: string;
  name?: string;
  secret: string;
  onSaved: () => void;
}

/** Shows a secret once. */
export function Secret({ text, name, secret, onSaved }: SecretProps) {
  const t = useT('partner');
  return (
    <Notice tone="warning" title={t('secret_once')} live>
      <p>{text}</p>
      {name === undefined ? null : <Line label={t('key_name')} value={name} />}
      <Line label={t('secret')} value={secret} />
      <Button onClick={onSaved}>{t('saved')}</Button>
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
