import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../../../api/client';
import type { Customer } from '../../../api/types';
import { Button } from '../../../components/Button';
import { Notice } from '../../../components/Notice';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { inLocale } from '../../../paths';
import { signOut } from '../../../session/tabSession';
import { useSite } from '../../../site';
import { Confirmation } from './Confirmation';
import { download } from './download';

/** Everything that is kept about the customer, as a file. */
export function DataExport({ customer }: { customer: Customer }) {
  const t = useT('account');
  const locale = useLocale();
  const { siteName } = useSite();
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <>
        <p>{t('export.text')}</p>
        <Button onClick={() => setAsking(true)}>{t('export.start')}</Button>
      </>
    );
  }
  return (
    <Confirmation
      withCode={customer.totp}
      button={t('export.download')}
      onCancel={() => setAsking(false)}
      send={async (body) => {
        const { data } = await call(locale, 'POST /users/me/export/', { body });
        download(`${siteName}-data.json`, JSON.stringify(data, null, 2), 'application/json');
        setAsking(false);
        toast(t('export.done'));
      }}
    >
      <p>{t('export.ask')}</p>
    </Confirmation>
  );
}

/** Deletes the account for good. */
export function AccountDeletion({ customer }: { customer: Customer }) {
  const t = useT('account');
  const locale = useLocale();
  const paths = usePaths();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <>
        <p>
          {t('deletion.text')} <a href={inLocale('/rules', '#personal-data', locale)}>{t('deletion.rules')}</a>
        </p>
        <Button onClick={() => setAsking(true)}>{t('deletion.start')}</Button>
      </>
    );
  }
  return (
    <Confirmation
      withCode={customer.totp}
      button={t('deletion.delete')}
      onCancel={() => setAsking(false)}
      send={async (body) => {
        await call(locale, 'POST /users/me/delete/', { body });
        await signOut();
        navigate(paths.home(), { replace: true });
        toast(t('deletion.done'), { lasting: true });
      }}
    >
      <Notice tone="warning">
        <p>{t('deletion.ask')}</p>
      </Notice>
    </Confirmation>
  );
}
