import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { ActionButton, DataTable, useTexts } from '../ui/index.ts';
import css from './Partners.module.css';

type Props = { partner: string; rows: Schema<'PartnerKeyDetails'>[]; mayEdit: boolean };

/** The keys of a partner, revoked ones greyed. */
export function Keys({ partner, rows, mayEdit }: Props) {
  const { t, dateTimeText } = useTexts();
  return (
    <DataTable
      list={rows}
      empty={<p className={css.muted}>{t('partners.noKeys')}</p>}
      rowKey={(row) => row.id}
      isOff={(row) => row.revokedAt !== null}
      columns={[
        {
          head: t('fields.key'),
          cell: (row) => (
            <>
              <strong>{row.title}</strong>{' '}
              {row.sandbox && <span className={css.mark}>{t('partners.sandboxMark')}</span>}
              <br />
              <code className={css.name}>{row.name}</code>
            </>
          ),
        },
        {
          head: t('partners.may'),
          look: ['wide'],
          cell: (row) => row.scopes.map((scope) => t(`partners.scopeNames.${scope}`, { _: scope })).join(', '),
        },
        {
          head: t('partners.from'),
          look: ['wide'],
          cell: (row) => row.networks.join(', ') || t('partners.everywhere'),
        },
        { head: t('partners.perMinute'), look: ['wide'], cell: (row) => row.perMinute },
        {
          head: t('fields.since'),
          look: ['small'],
          cell: (row) => (
            <>
              {row.revokedAt
                ? t('partners.revokedAt', { at: dateTimeText(row.revokedAt) })
                : dateTimeText(row.createdAt)}
              {mayEdit && !row.revokedAt && (
                <div>
                  <ActionButton
                    size="small"
                    label={t('partners.revoke')}
                    sure={t('action.sure')}
                    name={row.title}
                    run={() =>
                      api.POST('/partners/{id}/keys/{key}/revoke', { params: { path: { id: partner, key: row.id } } })
                    }
                    done={t('partners.revoked')}
                    stale={[`/partners/${partner}`]}
                  />
                </div>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
