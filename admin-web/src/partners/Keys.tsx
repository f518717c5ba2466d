import type { PartnerKey } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { momentText } from '../ui/format.ts';
import { Refusal } from '../ui/States.tsx';
import table from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { partnerOf } from './keys.ts';
import css from './Partners.module.css';

/** The keys of a partner, revoked ones greyed. */
export function Keys({ partner, rows, mayEdit }: { partner: string; rows: PartnerKey[]; mayEdit: boolean }) {
  const { t } = useWords();
  if (rows.length === 0) return <p className={css.muted}>{t('partners.noKeys')}</p>;
  return (
    <div className={table.wrap}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('partners.key')}</th>
            <th scope="col" className={table.wide}>
              {t('partners.may')}
            </th>
            <th scope="col" className={table.wide}>
              {t('partners.from')}
            </th>
            <th scope="col" className={table.wide}>
              {t('partners.perMinute')}
            </th>
            <th scope="col">{t('partners.since')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} partner={partner} row={row} mayEdit={mayEdit} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ partner, row, mayEdit }: { partner: string; row: PartnerKey; mayEdit: boolean }) {
  const { t, language } = useWords();
  const networks = row.networks.join(', ') || t('partners.everywhere');
  return (
    <tr className={row.revokedAt ? table.off : undefined}>
      <td>
        <strong>{row.title}</strong> {row.sandbox && <span className={css.mark}>{t('partners.sandboxMark')}</span>}
        <br />
        <code className={css.name}>{row.name}</code>
      </td>
      <td className={table.wide}>
        {row.scopes.map((scope) => t(`partners.scopeNames.${scope}`, { _: scope })).join(', ')}
      </td>
      <td className={table.wide}>{networks}</td>
      <td className={table.wide}>{row.perMinute}</td>
      <td className={table.small}>
        {row.revokedAt
          ? t('partners.revokedAt', { at: momentText(row.revokedAt, language) })
          : momentText(row.createdAt, language)}
        {mayEdit && !row.revokedAt && <Revoke partner={partner} row={row} />}
      </td>
    </tr>
  );
}

/** What cannot be undone is pressed twice. */
function Revoke({ partner, row }: { partner: string; row: PartnerKey }) {
  const { t } = useWords();
  const saved = useSaved();
  const [sure, setSure] = useState(false);
  const revoke = useMutation({
    mutationFn: () => api.revokePartnerKey(partner, row.id),
    onSuccess: () => saved(t('partners.revoked'), partnerOf(partner)),
  });
  return (
    <div>
      <Button
        size="small"
        color={sure ? 'error' : 'primary'}
        disabled={revoke.isPending}
        aria-label={`${t(sure ? 'partners.sure' : 'partners.revoke')}: ${row.title}`}
        onClick={() => (sure ? revoke.mutate() : setSure(true))}
      >
        {t(sure ? 'partners.sure' : 'partners.revoke')}
      </Button>
      <Refusal error={revoke.error} />
    </div>
  );
}
