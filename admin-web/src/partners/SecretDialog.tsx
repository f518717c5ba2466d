import { Button, CopyButton, Modal, useTexts } from '../ui/index.ts';
import css from './Partners.module.css';

/** A new secret, with the name of its key where it belongs to one. */
export type Secret = { title: string; text: string; name?: string; secret: string };

/** Shows a secret this once. */
export function SecretDialog({
  secret: { title, text, name, secret },
  onClose,
}: {
  secret: Secret;
  onClose: () => void;
}) {
  const { t } = useTexts();
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      actions={
        <Button variant="contained" onClick={onClose}>
          {t('partners.secretSaved')}
        </Button>
      }
    >
      <p className={css.muted}>{text}</p>
      {name && <Line label={t('fields.key')} value={name} />}
      <Line label={t('partners.secret')} value={secret} />
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
