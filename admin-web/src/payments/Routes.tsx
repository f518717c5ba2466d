import type { Currency, PaymentRoute, Payments } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { Amount } from '../ui/Amount.tsx';
import { momentText } from '../ui/format.ts';
import { EmptyNote } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import own from './Payments.module.css';
import { RouteDialog } from './RouteDialog.tsx';

/** How each currency is watched and paid. */
export function Routes({ payments }: { payments: Payments }) {
  const { t } = useWords();
  const { data: currencies = [] } = useGetList<Currency>('currencies');
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'payments', action: 'edit' });
  const [editing, setEditing] = useState<PaymentRoute | 'new' | null>(null);
  const free = currencies.filter((one) => !payments.routes.some((route) => route.currencyId === one.id));
  const mayAdd = mayEdit && payments.drivers.length > 0 && free.length > 0;
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('payments.routes')}</h2>
        {mayAdd && <Button onClick={() => setEditing('new')}>{t('payments.add')}</Button>}
      </div>
      {payments.routes.length === 0 && (
        <EmptyNote
          title={t('payments.noRoutes')}
          text={t(payments.drivers.length > 0 ? 'payments.noRoutesText' : 'payments.noDrivers')}
        />
      )}
      {payments.routes.length > 0 && (
        <div className={css.wrap}>
          <table className={`${css.table} ${css.stacks}`}>
            <thead>
              <tr>
                <th scope="col">{t('payments.currency')}</th>
                <th scope="col">{t('payments.network')}</th>
                <th scope="col">{t('payments.certain')}</th>
                <th scope="col">{t('payments.auto')}</th>
                <th scope="col">
                  <span className="visually-hidden">{t('payments.edit')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {payments.routes.map((route) => (
                <Route key={route.currencyId} route={route} onEdit={mayEdit ? () => setEditing(route) : null} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {editing && (
        <RouteDialog
          route={editing === 'new' ? null : editing}
          payments={payments}
          currencies={free}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  );
}

function Route({ route, onEdit }: { route: PaymentRoute; onEdit: (() => void) | null }) {
  const { t, language } = useWords();
  return (
    <tr className={route.enabled ? undefined : css.off}>
      <td>
        <strong>{route.currency}</strong>
        {!route.enabled && <span className={own.lines}>{t('payments.off')}</span>}
      </td>
      <td className={css.full}>
        {route.driver}
        <span className={own.lines}>
          {route.height === null ? t('payments.noBlocks') : t('payments.height', { height: route.height })}
          {route.watchedAt && ` · ${momentText(route.watchedAt, language)}`}
        </span>
        {route.fault && (
          <span className={`${own.lines} ${css.bad}`}>
            {route.faultAt && `${momentText(route.faultAt, language)}: `}
            {route.fault}
          </span>
        )}
      </td>
      <td data-label={t('payments.certain')}>
        {t('payments.confirmations', { smart_count: route.confirmations })}
        <span className={own.lines}>{route.screening ?? t('payments.unscreened')}</span>
      </td>
      <td data-label={t('payments.auto')}>
        {route.autoPayout ? (
          <>
            <Amount value={route.claimLimit} /> / <Amount value={route.dayLimit} />
            <span className={own.lines}>
              {t('payments.spent')} <Amount value={route.spent} />
            </span>
          </>
        ) : (
          t('payments.byStaff')
        )}
      </td>
      <td className={css.actions}>
        {onEdit && (
          <Button onClick={onEdit} aria-label={`${t('payments.edit')}: ${route.currency}`}>
            {t('payments.edit')}
          </Button>
        )}
      </td>
    </tr>
  );
}
