import { useState } from 'react';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { Customer, PartnerAccess, PartnerKey } from '../../../api/types';
import { Button } from '../../../components/Button';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { momentText } from '../moments';
import { KeyForm } from './KeyForm';
import styles from './partner.module.css';
import { Secret } from './Secret';
import { SCOPES } from './scopes';

interface KeysProps {
  customer: Customer;
  access: PartnerAccess;
  again: () => void;
}

export function Keys({ customer, access, again }: KeysProps) {
  const t = useT('partner');
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<{ name: string; secret: string } | null>(null);
  const onCreated = (key: PartnerKey, secret: string) => {
    setOpen(false);
    setCreated({ name: key.name, secret });
    again();
  };
  return (
    <>
      {access.keys.length === 0 ? <p className="muted">{t('no_keys')}</p> : null}
      {access.keys.length > 0 ? (
        <ul className={styles.rows}>
          {access.keys.map((key) => (
            <KeyLine key={key.id} row={key} again={again} />
          ))}
        </ul>
      ) : null}
      {created === null ? null : <Secret text={t('key_secret_text')} {...created} onSaved={() => setCreated(null)} />}
      {access.suspended || isOpen || created !== null ? null : (
        <Button onClick={() => setOpen(true)}>{t('new_key')}</Button>
      )}
      {isOpen && !access.suspended ? (
        <KeyForm
          customer={customer}
          mayBeLive={access.status === 'approved'}
          onCreated={onCreated}
          onCancel={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

function KeyLine({ row, again }: { row: PartnerKey; again: () => void }) {
  const t = useT('partner');
  const locale = useLocale();
  const calls = row.usage.reduce((sum, day) => sum + day.calls, 0);
  const scopes = SCOPES.filter((scope) => row.scopes.includes(scope)).map((scope) => t(`scope.${scope}`));
  return (
    <li className={row.revokedAt ? styles.off : undefined}>
      <div>
        <p>
          {row.title}
          {row.sandbox ? <span className={styles.mark}>{t('sandbox')}</span> : null}
        </p>
        <code className="small">{row.name}</code>
        <p className="small muted">
          {scopes.join(', ')}; {row.networks.join(', ') || t('everywhere')}
        </p>
        <p className="small muted num">
          {t('calls', { count: calls })}, {t('per_minute', { count: row.perMinute })}
        </p>
      </div>
      <div className={styles.side}>
        <span className="small muted">
          {row.revokedAt
            ? t('revoked_at', { at: momentText(row.revokedAt, locale, new Date()) })
            : momentText(row.createdAt, locale, new Date())}
        </span>
        {row.revokedAt ? null : <Revoke row={row} again={again} />}
      </div>
    </li>
  );
}

/** What cannot be undone is confirmed by a second press. */
function Revoke({ row, again }: { row: PartnerKey; again: () => void }) {
  const t = useT('partner');
  const common = useT('common');
  const locale = useLocale();
  const [isSure, setSure] = useState(false);
  const revoke = async () => {
    try {
      await call(locale, 'POST /users/me/partner/keys/{key}/revoke/', { path: { key: row.id } });
      toast(t('revoked'));
    } catch (error) {
      toast(errorText(error, common));
    } finally {
      again();
    }
  };
  const text = t(isSure ? 'revoke_sure' : 'revoke');
  return (
    <Button size="small" aria-label={`${text}: ${row.title}`} onClick={() => (isSure ? revoke() : setSure(true))}>
      {text}
    </Button>
  );
}
