import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useCurrencies, useGet, useMayEdit } from '../api/index.ts';
import { Amount, Button, DataTable, Loaded, Section, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { RouteDialog } from './RouteDialog.tsx';
import { REFRESH_MS } from './refresh.ts';

/** How each currency is watched and paid. */
export function PaymentRoutes() {
  const payments = useGet('/payments', { refetchInterval: REFRESH_MS });
  return (
    <Loaded answer={payments} bones={{ height: 46 }}>
      {(data) => <Routes payments={data} />}
    </Loaded>
  );
}

const OPERATIONS = ['invoices', 'payouts', 'refunds', 'balance', 'fee'] as const;

/** What the plugin says it can do in the currency, and how much at once. */
function Capabilities({ capabilities }: { capabilities: Schema<'DriverCapabilitiesView'> }) {
  const { t } = useTexts();
  const { invoiceMin, invoiceMax, payoutMin, payoutMax } = capabilities;
  const operations = OPERATIONS.filter((one) => capabilities[one]).map((one) => t(`payments.operations.${one}`));
  return (
    <span className={css.line}>
      {operations.length > 0 ? operations.join(', ') : t('payments.operations.none')}
      <Limits label={t('payments.invoiceLimits')} min={invoiceMin} max={invoiceMax} />
      <Limits label={t('payments.payoutLimits')} min={payoutMin} max={payoutMax} />
    </span>
  );
}

function Limits({ label, min, max }: { label: string; min: string | null; max: string | null }) {
  if (min === null && max === null) return null;
  return (
    <>
      {' · '}
      {label} {min !== null && <Amount value={min} />}–{max !== null && <Amount value={max} />}
    </>
  );
}

/** What the plugin says it can pay out, beside the reserve. */
function Balance({ balance }: { balance: Schema<'DriverBalanceView'> }) {
  const { t, dateTimeText } = useTexts();
  const { amount, fault, checkedAt, reserve, isShort } = balance;
  if (amount === null) {
    return (
      <span className={`${css.line} ${css.bad}`}>
        {dateTimeText(checkedAt)}: {t('payments.noBalance')} {fault}
      </span>
    );
  }
  return (
    <span className={`${css.line} ${isShort ? css.bad : ''}`}>
      {t('payments.balance')} <Amount value={amount} /> · {t(isShort ? 'payments.reserveAbove' : 'payments.reserve')}{' '}
      <Amount value={reserve} /> · {dateTimeText(checkedAt)}
    </span>
  );
}

function Routes({ payments }: { payments: Schema<'PaymentRouteList'> }) {
  const { t, dateTimeText } = useTexts();
  const currencies = useCurrencies();
  const mayEdit = useMayEdit('payments');
  const [editing, setEditing] = useState<Schema<'PaymentRouteView'> | 'new' | null>(null);
  const { routes, drivers } = payments;
  const free = currencies.filter((one) => !routes.some((route) => route.currencyId === one.id));
  return (
    <Section
      title={t('payments.routes')}
      actions={
        mayEdit &&
        drivers.length > 0 &&
        free.length > 0 && <Button onClick={() => setEditing('new')}>{t('payments.add')}</Button>
      }
    >
      <DataTable
        list={routes}
        rowKey={(route) => route.currencyId}
        isOff={(route) => !route.enabled}
        empty={{
          title: t('payments.noRoutes'),
          text: t(drivers.length > 0 ? 'payments.noRoutesText' : 'payments.noDrivers'),
        }}
        button={mayEdit && { label: t('action.edit'), name: (route) => route.currency, onClick: setEditing }}
        columns={[
          {
            head: t('things.currency'),
            cell: (route) => (
              <>
                <strong>{route.currency}</strong>
                {!route.enabled && <span className={css.line}>{t('payments.off')}</span>}
              </>
            ),
          },
          {
            head: t('payments.network'),
            look: ['full'],
            cell: (route) => (
              <>
                {route.driver}
                <span className={css.line}>
                  {route.height === null ? t('payments.noBlocks') : t('payments.height', { height: route.height })}
                  {route.polledAt && ` · ${dateTimeText(route.polledAt)}`}
                </span>
                {route.fault && (
                  <span className={`${css.line} ${css.bad}`}>
                    {route.faultAt && `${dateTimeText(route.faultAt)}: `}
                    {route.fault}
                  </span>
                )}
                {route.capabilities && <Capabilities capabilities={route.capabilities} />}
                {route.balance && <Balance balance={route.balance} />}
              </>
            ),
          },
          {
            head: t('payments.certain'),
            label: true,
            cell: (route) => (
              <>
                {t('payments.confirmations', { smart_count: route.confirmations })}
                <span className={css.line}>{route.screening ?? t('payments.unscreened')}</span>
              </>
            ),
          },
          {
            head: t('payments.auto'),
            label: true,
            cell: (route) =>
              route.autoPayout ? (
                <>
                  <Amount value={route.claimLimit} /> / <Amount value={route.dayLimit} />
                  <span className={css.line}>
                    {t('payments.spent')} <Amount value={route.spent} />
                  </span>
                </>
              ) : (
                t('payments.byStaff')
              ),
          },
        ]}
      />
      {editing && (
        <RouteDialog
          route={editing === 'new' ? null : editing}
          payments={payments}
          currencies={free}
          onClose={() => setEditing(null)}
        />
      )}
    </Section>
  );
}
