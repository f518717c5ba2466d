import type { Schema } from '@agio/client/admin';
import CloseOutlined from '@mui/icons-material/CloseOutlined';
import { useList } from '../api/hooks.ts';
import { Amount, AuditLink, Button, IconButton, List, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';

type Props = { reserve: Schema<'ReserveView'>; onMove: (() => void) | null; onClose: () => void };

/** The movements of a reserve in the ledger, the newest first. */
export function Movements({ reserve, onMove, onClose }: Props) {
  const { t, dateTimeText } = useTexts();
  const list = useList('/reserves/{currencyId}/movements', { path: { currencyId: reserve.currencyId } });
  return (
    <aside className={css.aside} aria-label={t('reserves.movementsOf', { code: reserve.code })}>
      <div className={css.asideHead}>
        <h2 className={css.asideTitle}>{t('reserves.movementsOf', { code: reserve.code })}</h2>
        <IconButton aria-label={t('action.close')} onClick={onClose}>
          <CloseOutlined fontSize="small" />
        </IconButton>
      </div>
      <div className={css.footer}>
        {onMove && <Button onClick={onMove}>{t('action.edit')}</Button>}
        <AuditLink kind="reserve" id={reserve.currencyId} />
      </div>
      <List list={list} within bones={{ rows: 6 }} empty={{ title: t('reserves.noMovements') }}>
        {(rows) => (
          <ul>
            {rows.map(({ batch, reason, actor, note, amount, at }) => (
              <li key={batch} className={css.movement}>
                <span>
                  {t(`reserves.reasons.${reason}`, { _: t(`steps.${reason}`, { _: reason }) })}
                  <span className={css.small}> {actor}</span>
                  {note && <span className={css.small}>. {note}</span>}
                </span>
                <span className={css.right}>
                  <Amount value={amount} />
                  <br />
                  <time className={css.small} dateTime={at}>
                    {dateTimeText(at)}
                  </time>
                </span>
              </li>
            ))}
          </ul>
        )}
      </List>
    </aside>
  );
}
