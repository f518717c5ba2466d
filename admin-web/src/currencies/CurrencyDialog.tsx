import type { Currency, CurrencyPatch } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { typedDecimal } from '../ui/decimal.ts';
import { Field, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { Toggle } from '../ui/Toggle.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

type Draft = {
  ru: string;
  en: string;
  icon: string;
  round: string;
  position: string;
  floor: string;
  send: boolean;
  receive: boolean;
};

const draftOf = (currency: Currency): Draft => ({
  ru: currency.name.ru,
  en: currency.name.en,
  icon: currency.icon,
  round: String(currency.roundCalculator),
  position: String(currency.position),
  floor: currency.reserveFloor,
  send: currency.send,
  receive: currency.receive,
});

const WHOLE = /^\d{1,4}$/;
const isReady = (draft: Draft): boolean =>
  WHOLE.test(draft.round) && WHOLE.test(draft.position) && typedDecimal(draft.floor) !== null && draft.ru.trim() !== '';

const patchOf = (currency: Currency, draft: Draft): CurrencyPatch => ({
  revision: currency.revision,
  name: { ru: draft.ru.trim(), en: draft.en.trim() },
  icon: draft.icon.trim(),
  roundCalculator: Number(draft.round),
  position: Number(draft.position),
  reserveFloor: typedDecimal(draft.floor) ?? currency.reserveFloor,
  send: draft.send,
  receive: draft.receive,
});

export function CurrencyDialog({ currency, onClose }: { currency: Currency; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [draft, setDraft] = useState(() => draftOf(currency));
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: () => api.updateCurrency(currency.id, patchOf(currency, draft)),
    onSuccess: () => {
      saved(t('currencies.saved', { code: currency.code }), ['currencies'], ['pairs'], ['reserves'], KEYS.dashboard);
      onClose();
    },
  });
  const errors = fieldsOf(save.error);
  const ready = isReady(draft) && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={currency.code}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <div className={css.two}>
        <Field
          label={t('currencies.nameRu')}
          value={draft.ru}
          error={errors['name.ru']}
          onValue={(ru) => change({ ru })}
        />
        <Field
          label={t('currencies.nameEn')}
          value={draft.en}
          error={errors['name.en']}
          onValue={(en) => change({ en })}
        />
        <NumberField
          label={t('currencies.round')}
          help={t('currencies.roundHelp', { scale: currency.scale })}
          value={draft.round}
          error={errors.roundCalculator}
          onValue={(round) => change({ round })}
        />
        <NumberField
          label={t('currencies.position')}
          help={t('currencies.positionHelp')}
          value={draft.position}
          error={errors.position}
          onValue={(position) => change({ position })}
        />
        <NumberField
          label={t('currencies.floor')}
          help={t('currencies.floorHelp')}
          value={draft.floor}
          error={errors.reserveFloor}
          onValue={(floor) => change({ floor })}
        />
        <Field
          label={t('currencies.icon')}
          value={draft.icon}
          error={errors.icon}
          onValue={(icon) => change({ icon })}
        />
      </div>
      <div>
        <Toggle label={t('currencies.send')} value={draft.send} onValue={(send) => change({ send })} />
        <Toggle label={t('currencies.receive')} value={draft.receive} onValue={(receive) => change({ receive })} />
      </div>
      <Refusal error={save.error} />
      <AuditLink kind="currency" id={currency.id} />
    </Modal>
  );
}
