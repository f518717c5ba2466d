import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { AuditLink, Choice, FormDialog, NumberField, Toggle, useTexts } from '../ui/index.ts';
import { draftOf, inputOf } from './draft.ts';

type Props = {
  route: Schema<'PaymentRouteView'> | null;
  payments: Schema<'PaymentRouteList'>;
  currencies: Schema<'CurrencyDetails'>[];
  onClose: () => void;
};

/** How a currency is watched and paid. With two-person approval a change is a request first. */
export function RouteDialog({ route, payments, currencies, onClose }: Props) {
  const { t, language } = useTexts();
  const options = (plugins: Schema<'PaymentPluginView'>[]) =>
    plugins.map((one) => ({ value: one.name, label: (language === 'ru' ? one.titleRu : one.titleEn) || one.name }));
  return (
    <FormDialog
      title={route ? route.currency : t('payments.add')}
      initial={() => draftOf(route, currencies[0]?.id, payments.drivers[0]?.name)}
      isReady={(draft) => inputOf(draft) !== null}
      save={(draft) =>
        api.PUT('/payments/routes/{currency}', {
          params: { path: { currency: Number(draft.currencyId) } },
          body: inputOf(draft) as Schema<'SetPaymentRouteRequest'>,
        })
      }
      done={t('state.saved')}
      stale={['/payments*']}
      onClose={onClose}
    >
      {({ field, toggle, draft }) => (
        <>
          {!route && (
            <Choice
              label={t('things.currency')}
              options={currencies.map((one) => ({ value: String(one.id), label: one.code }))}
              {...field('currencyId')}
            />
          )}
          <Choice label={t('payments.fields.driver')} options={options(payments.drivers)} {...field('driver')} />
          <Toggle label={t('payments.fields.enabled')} {...toggle('enabled')} />
          <NumberField label={t('payments.fields.confirmations')} {...field('confirmations')} />
          <NumberField
            label={t('payments.fields.tolerance')}
            help={t('payments.toleranceHelp')}
            {...field('tolerance')}
          />
          <NumberField label={t('payments.fields.dust')} {...field('dust')} />
          <Choice
            label={t('payments.fields.screening')}
            options={[{ value: '', label: t('payments.unscreened') }, ...options(payments.screeners)]}
            {...field('screening')}
          />
          <Toggle label={t('payments.fields.autoPayout')} {...toggle('autoPayout')} />
          {draft.autoPayout && <NumberField label={t('payments.fields.claimLimit')} {...field('claimLimit')} />}
          {draft.autoPayout && <NumberField label={t('payments.fields.dayLimit')} {...field('dayLimit')} />}
          {route && <AuditLink kind="payment_route" id={String(route.currencyId)} />}
        </>
      )}
    </FormDialog>
  );
}
