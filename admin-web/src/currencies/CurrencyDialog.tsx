import type { Schema } from '@agio/client/admin';
import { useEffect, useRef, useState } from 'react';
import { Coin } from '../../../public-web/src/components/Coin.tsx';
import { api, useAction } from '../api/index.ts';
import {
  AuditLink,
  Button,
  Choice,
  Field,
  type Form,
  FormDialog,
  NumberField,
  PictureInput,
  Refusal,
  Toggle,
  useTexts,
} from '../ui/index.ts';
import { missingFields } from '../ui/missing.ts';
import { Cities } from './Cities.tsx';
import css from './Currencies.module.css';
import {
  type CurrencyDetails,
  type CurrencyDraft,
  draftOf,
  KINDS,
  missingIn,
  ofKind,
  patchOf,
  requestOf,
  SCALE_MAX,
} from './draft.ts';
import { Inputs } from './Inputs.tsx';

/** What a change of a currency makes stale. */
export const STALE = ['/currencies', '/pairs', '/reserves', '/dashboard', '/catalogue', '/setup'];

type Props = {
  /** The currency to change, or what a new one begins with. */
  currency?: CurrencyDetails;
  initial?: CurrencyDraft;
  onDuplicate?: (currency: CurrencyDetails) => void;
  onArchive?: (currency: CurrencyDetails) => void;
  onClose: () => void;
};

/** Every property of a currency; kind and scale only of a new one. */
export function CurrencyDialog({ currency: current, initial, onDuplicate, onArchive, onClose }: Props) {
  const { t } = useTexts();
  // What others change meanwhile is refused by its revision, not put back.
  const [currency] = useState(current);
  return (
    <FormDialog<CurrencyDraft, CurrencyDetails>
      title={currency?.code ?? t('newCurrency.title')}
      initial={() => (currency ? draftOf(currency) : (initial as CurrencyDraft))}
      save={async (draft, once) => {
        const missing = new Map(missingIn(draft, !currency).map(({ path, isTyped }) => [path, isTyped]));
        if (missing.size > 0) {
          throw missingFields([...missing.keys()], (path) => t(missing.get(path) ? 'error.number' : 'error.required'));
        }
        return currency
          ? api.PATCH('/currencies/{id}', { params: { path: { id: currency.id } }, body: patchOf(currency, draft) })
          : api.POST('/currencies', { ...once, body: requestOf(draft) });
      }}
      submit={currency ? undefined : t('newCurrency.create')}
      done={({ code }) => t(currency ? 'currencies.saved' : 'newCurrency.created', { code })}
      stale={STALE}
      actions={
        currency && (
          <>
            <Button onClick={() => onArchive?.(currency)}>
              {t(currency.archived ? 'currencies.unarchive' : 'currencies.archive')}
            </Button>
            <Button onClick={() => onDuplicate?.(currency)}>{t('currencies.duplicate')}</Button>
          </>
        )
      }
      onClose={onClose}
    >
      {(form) => (
        <>
          <Identity form={form} currency={currency} />
          <Numbers form={form} isNew={!currency} />
          <div>
            <Toggle label={t('currencies.send')} {...form.toggle('send')} />
            <Toggle label={t('currencies.receive')} {...form.toggle('receive')} />
          </div>
          <Cities {...form} />
          <Inputs {...form} />
          {currency && <AuditLink kind="currency" id={currency.id} />}
          <RefusedField />
        </>
      )}
    </FormDialog>
  );
}

/** Shows the first refused field when there is one: the form is longer than the screen. */
function RefusedField() {
  const at = useRef<HTMLSpanElement>(null);
  const shown = useRef(false);
  useEffect(() => {
    const refused = at.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"], [data-refused]');
    if (refused && !shown.current) refused.focus();
    shown.current = Boolean(refused);
  });
  return <span ref={at} hidden />;
}

type PartProps = { form: Form<CurrencyDraft> };

/** What the currency is and how it is named and drawn. */
function Identity({ form: { draft, change, field, error }, currency }: PartProps & { currency?: CurrencyDetails }) {
  const { t, language } = useTexts();
  const name = draft[language];
  return (
    <>
      {currency && (
        <p className={css.note}>
          {t('currencies.forLife', { kind: t(`currencies.kinds.${currency.kind}`), smart_count: currency.scale })}
        </p>
      )}
      <div className={css.grid}>
        <Field
          label={t('fields.code')}
          help={t('currencies.codeHelp')}
          {...field('code')}
          onValue={(code) => change({ code: code.toUpperCase() })}
        />
        <Field
          label={t('currencies.ticker')}
          help={t('currencies.tickerHelp')}
          {...field('ticker')}
          onValue={(ticker) => change({ ticker: ticker.toUpperCase() })}
        />
        <Field label={t('fields.nameRu')} {...field('ru')} error={error('name.ru') ?? error('name')} />
        <Field label={t('fields.nameEn')} {...field('en')} error={error('name.en')} />
        <Field
          label={t('currencies.networkRu')}
          {...field('networkRu')}
          error={error('network.ru') ?? error('network')}
        />
        <Field label={t('currencies.networkEn')} {...field('networkEn')} error={error('network.en')} />
        {!currency && (
          <Choice
            label={t('fields.kind')}
            help={t('currencies.kindHelp')}
            options={KINDS.map((value) => ({ value, label: t(`currencies.kinds.${value}`) }))}
            {...field('kind')}
            onValue={(kind) => change(ofKind(draft, kind))}
          />
        )}
        <div className={css.icon}>
          <Field label={t('currencies.icon')} {...field('icon')} />
          <Coin of={{ ...draft, name: name || draft.code, icon: draft.icon.trim() || undefined }} />
        </div>
        <IconUpload onUploaded={(icon) => change({ icon })} />
      </div>
      <p className={css.note}>{t('currencies.iconHelp')}</p>
    </>
  );
}

/** Uploads a picture of one's own; the currency has it once the dialog is saved. */
function IconUpload({ onUploaded }: { onUploaded: (icon: string) => void }) {
  const { t } = useTexts();
  const upload = useAction<Schema<'UploadedCurrencyIcon'>, File>({
    run: (file) => {
      const form = new FormData();
      form.append('file', file);
      return api.POST('/currency-icons', { body: { file: '' }, bodySerializer: () => form });
    },
    stale: [],
    onDone: ({ icon }) => onUploaded(icon),
  });
  return (
    <div>
      <PictureInput
        label={t('currencies.iconUpload')}
        accept="image/png,image/webp"
        disabled={upload.isPending}
        onFile={(file) => upload.mutate(file)}
      >
        {t(upload.isPending ? 'brand.uploading' : 'currencies.iconUpload')}
      </PictureInput>
      <Refusal error={upload.error} field="file" />
    </div>
  );
}

/** Decimals, place and reserve. */
function Numbers({ form: { draft, field }, isNew }: PartProps & { isNew: boolean }) {
  const { t } = useTexts();
  return (
    <div className={css.grid}>
      {isNew && (
        <NumberField
          label={t('currencies.scale')}
          help={t('currencies.scaleHelp', { max: SCALE_MAX })}
          {...field('scale')}
        />
      )}
      <NumberField
        label={t('currencies.round')}
        help={t('currencies.roundHelp', { scale: draft.scale })}
        {...field('roundCalculator')}
      />
      <NumberField
        label={t('currencies.position')}
        help={t(isNew ? 'currencies.positionNew' : 'currencies.positionHelp')}
        {...field('position')}
      />
      <NumberField label={t('currencies.floor')} help={t('currencies.floorHelp')} {...field('reserveFloor')} />
      <NumberField label={t('currencies.networkFee')} help={t('currencies.networkFeeHelp')} {...field('networkFee')} />
      {draft.kind === 'crypto' && (
        <Field label={t('currencies.explorer')} help={t('currencies.explorerHelp')} {...field('explorer')} />
      )}
    </div>
  );
}
