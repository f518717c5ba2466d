import { useState } from 'react';
import type { Customer, PartnerAccess, PartnerKey } from '../../../api/account';
import { call } from '../../../api/client';
import { wordsFor } from '../../../api/errors';
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

/** The keys, revoked ones greyed, and the way to make another. */
export function Keys({ customer, access, again }: KeysProps) {
  const t = useT('partner');
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);
  const onMade = (key: PartnerKey, secret: string) => {
    setOpen(false);
    setMade({ name: key.name, secret });
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
      {made === null ? null : <Secret words={t('key_secret_words')} {...made} onKept={() => setMade(null)} />}
      {access.suspended || isOpen || made !== null ? null : (
        <Button onClick={() => setOpen(true)}>{t('new_key')}</Button>
      )}
      {isOpen && !access.suspended ? (
        <KeyForm
          customer={customer}
          mayBeLive={access.standing === 'approved'}
          onMade={onMade}
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

/** What cannot be undone is pressed twice. */
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
      toast(wordsFor(error, common));
    } finally {
      again();
    }
  };
  const words = t(isSure ? 'revoke_sure' : 'revoke');
  return (
    <Button size="small" aria-label={`${words}: ${row.title}`} onClick={() => (isSure ? revoke() : setSure(true))}>
      {words}
    </Button>
  );
}
