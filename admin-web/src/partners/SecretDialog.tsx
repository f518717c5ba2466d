import Button from '@mui/material/Button';
import { CopyButton } from '../ui/Copy.tsx';
import { Modal } from '../ui/Modal.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Partners.module.css';

/** A secret that was just made, and the name of the key it belongs to, where it is a key's. */
export type Shown = { title: string; text: string; name?: string; secret: string };

/** Shows a secret this once. */
export function SecretDialog({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const { t } = useWords();
  return (
    <Modal
      open
      onClose={onClose}
      title={shown.title}
      actions={
        <Button variant="contained" onClick={onClose}>
          {t('partners.kept')}
        </Button>
      }
    >
      <p className={css.muted}>{shown.text}</p>
      {shown.name && <Line label={t('partners.keyName')} value={shown.name} />}
      <Line label={t('partners.secret')} value={shown.secret} />
    </Modal>
  );
}

function Line({ label, value }: { label: string; value: string }) {
  return (
    <div className={css.secret}>
      <span className={css.muted}>{label}</span>
      <code>{value}</code>
      <CopyButton value={value} label={label} />
    </div>
  );
}
