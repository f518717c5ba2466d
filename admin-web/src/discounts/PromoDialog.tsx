import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { Field, FormDialog, NumberField, useTexts } from '../ui/index.ts';
import { EMPTY, promoOf } from './promo.ts';

/** A new promo code. */
export function PromoDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('discounts.addPromo')}
      initial={EMPTY}
      required={['code', 'percent']}
      isReady={(draft) => promoOf(draft) !== null}
      save={(draft, once) =>
        api.POST('/discounts/promos', { ...once, body: promoOf(draft) as Schema<'CreatePromoCodeRequest'> })
      }
      submit={t('discounts.create')}
      done={({ code }) => t('discounts.created', { code })}
      stale={['/discounts/promos']}
      onClose={onClose}
    >
      {({ field, change }) => (
        <>
          <Field
            label={t('fields.code')}
            help={t('discounts.codeHelp')}
            autoComplete="off"
            autoFocus
            {...field('code')}
            onValue={(code) => change({ code: code.toUpperCase() })}
          />
          <NumberField label={t('fields.percent')} help={t('discounts.percentHelp')} {...field('percent')} />
          <NumberField label={t('discounts.usesMax')} help={t('discounts.emptyIsNone')} {...field('usesMax')} />
          <NumberField label={t('discounts.perCustomer')} help={t('discounts.emptyIsNone')} {...field('perCustomer')} />
          <NumberField label={t('discounts.min')} help={t('discounts.minHelp')} {...field('min')} />
          <Field
            type="datetime-local"
            label={t('discounts.starts')}
            help={t('discounts.startsHelp')}
            {...field('startsAt')}
          />
          <Field type="datetime-local" label={t('fields.until')} help={t('discounts.endsHelp')} {...field('endsAt')} />
          <Field label={t('discounts.note')} help={t('discounts.noteHelp')} {...field('note')} />
        </>
      )}
    </FormDialog>
  );
}
