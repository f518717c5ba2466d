import type { Schema } from '@agio/client/admin';
import { api } from '../api/api.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { typedDecimal } from '../ui/decimal.ts';
import { Field, NumberField } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import css from '../ui/Table.module.css';
import { Toggle } from '../ui/Toggle.tsx';
import { useTexts } from '../ui/useTexts.ts';

const WHOLE = /^\d{1,4}$/;

export function CurrencyDialog({ currency, onClose }: { currency: Schema<'CurrencyDetails'>; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={currency.code}
      initial={{
        ru: currency.name.ru,
        en: currency.name.en,
        icon: currency.icon,
        roundCalculator: String(currency.roundCalculator),
        position: String(currency.position),
        reserveFloor: currency.reserveFloor,
        send: currency.send,
        receive: currency.receive,
      }}
      isReady={({ roundCalculator, position, reserveFloor, ru }) =>
        WHOLE.test(roundCalculator) && WHOLE.test(position) && typedDecimal(reserveFloor) !== null && ru.trim() !== ''
      }
      save={({ ru, en, icon, roundCalculator, position, reserveFloor, send, receive }) =>
        api.PATCH('/currencies/{id}', {
          params: { path: { id: currency.id } },
          body: {
            revision: currency.revision,
            name: { ru: ru.trim(), en: en.trim() },
            icon: icon.trim(),
            roundCalculator: Number(roundCalculator),
            position: Number(position),
            reserveFloor: typedDecimal(reserveFloor) ?? currency.reserveFloor,
            send,
            receive,
          },
        })
      }
      done={t('currencies.saved', { code: currency.code })}
      stale={['/currencies', '/pairs', '/reserves', '/dashboard']}
      onClose={onClose}
    >
      {({ field, toggle, error }) => (
        <>
          <div className={css.two}>
            <Field label={t('currencies.nameRu')} {...field('ru')} error={error('name.ru')} />
            <Field label={t('currencies.nameEn')} {...field('en')} error={error('name.en')} />
            <NumberField
              label={t('currencies.round')}
              help={t('currencies.roundHelp', { scale: currency.scale })}
              {...field('roundCalculator')}
            />
            <NumberField label={t('currencies.position')} help={t('currencies.positionHelp')} {...field('position')} />
            <NumberField label={t('currencies.floor')} help={t('currencies.floorHelp')} {...field('reserveFloor')} />
            <Field label={t('currencies.icon')} {...field('icon')} />
          </div>
          <div>
            <Toggle label={t('currencies.send')} {...toggle('send')} />
            <Toggle label={t('currencies.receive')} {...toggle('receive')} />
          </div>
          <AuditLink kind="currency" id={currency.id} />
        </>
      )}
    </FormDialog>
  );
}
