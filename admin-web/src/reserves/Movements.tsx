import type { Schema } from '@agio/client/admin';
import { useList } from '../api/index.ts';
import { Amount, Aside, AuditLink, Button, List, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';

type Props = { reserve: Schema<'ReserveView'>; onMove: (() => void) | null; onClose: () => void };

/** The movements of a reserve in the ledger, the newest first. */
export function Movements({ reserve, onMove, onClose }: Props) {
  const { t, dateTimeText } = useTexts();
  const list = useList('/reserves/{currencyId}/movements', { path: { currencyId: reserve.currencyId } });
  return (
    <Aside title={t('reserves.movementsOf', { code: reserve.code })} onClose={onClose}>
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
    </Aside>
  );
}
