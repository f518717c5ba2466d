import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, fieldsOf, type Once, useAction } from '../api/index.ts';
import { Button, Choice, Field, FormDialog, Groups, Refusal, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { LimitFields } from './LimitFields.tsx';
import { areLimits, type LimitsDraft, limitsNew, limitsOf, payable } from './limits.ts';
import { refusedLines } from './refusedLines.ts';

type Draft = LimitsDraft & { currencyId: string; text: string };
type Preview = Schema<'RequisiteImportView'>;

const isReady = (draft: Draft): boolean => draft.currencyId !== '' && draft.text.trim() !== '' && areLimits(draft);

const send = (draft: Draft, dryRun: boolean, once?: Once) =>
  api.POST('/requisites/import', {
    ...once,
    body: { currencyId: Number(draft.currencyId), text: draft.text, dryRun, ...limitsNew(draft) },
  });

type Props = { currencies: Schema<'CurrencyDetails'>[]; currencyId: string; onClose: () => void };

/** Adds payment details from lines. They are checked first, and added only as they were checked. */
export function ImportDialog({ currencies, currencyId, onClose }: Props) {
  const { t } = useTexts();
  const [checked, setChecked] = useState<{ draft: Draft; preview: Preview } | null>(null);
  const check = useAction({
    run: (draft: Draft) => send(draft, true),
    stale: [],
    onDone: (preview, draft) => setChecked({ draft, preview: preview as Preview }),
  });
  const previewOf = (draft: Draft): Preview | null => (checked?.draft === draft ? checked.preview : null);
  return (
    <FormDialog
      title={t('requisites.importTitle')}
      wide
      initial={{ currencyId, text: '', ...limitsOf(null) } as Draft}
      isReady={(draft) => (previewOf(draft)?.added ?? 0) > 0}
      save={(draft, once) => send(draft, false, once)}
      submit={(draft) => {
        const added = previewOf(draft)?.added;
        return added ? t('requisites.importAdd', { smart_count: added }) : t('requisites.import');
      }}
      done={(result) => t('requisites.imported', { smart_count: (result as Preview).added })}
      stale={['/requisite*', '/dashboard']}
      actions={({ draft }) => (
        <Button disabled={!isReady(draft) || check.isPending} onClick={() => check.mutate(draft)}>
          {t('requisites.check')}
        </Button>
      )}
      onClose={onClose}
    >
      {({ draft, field, toggle }) => {
        const isCurrent = check.variables === draft;
        return (
          <>
            <Choice
              label={t('things.currency')}
              options={payable(currencies).map((currency) => ({ value: String(currency.id), label: currency.code }))}
              {...field('currencyId')}
            />
            <Field
              label={t('requisites.lines')}
              help={t('requisites.linesHelp')}
              multiline
              minRows={4}
              maxRows={12}
              {...field('text')}
            />
            {isCurrent && <Report error={check.error} preview={previewOf(draft)} />}
            <LimitFields field={field} toggle={toggle} />
          </>
        );
      }}
    </FormDialog>
  );
}

/** What each line would add, or why it cannot. */
function Report({ error, preview }: { error: unknown; preview: Preview | null }) {
  const { t } = useTexts();
  const refused = refusedLines(fieldsOf(error));
  if (error && refused.length === 0) return <Refusal error={error} />;
  return (
    <div role="status">
      {refused.length > 0 && <p className={css.bad}>{t('requisites.nothingAdded')}</p>}
      {preview && (
        <p>
          {t('requisites.willAdd', { smart_count: preview.added })}
          {preview.lines.length > preview.added &&
            ` ${t('requisites.skipped', { smart_count: preview.lines.length - preview.added })}`}
        </p>
      )}
      <ul>
        {refused.map(({ line, message }) => (
          <li key={`${line} ${message}`} className={css.movement}>
            <span>{t('requisites.lineNumber', { line })}</span>
            <span className={css.bad}>{message}</span>
          </li>
        ))}
        {preview?.lines.map(({ line, value, holder, memo, duplicate }) => (
          <li key={line} className={css.movement}>
            <span>
              <Groups value={value} /> <span className={css.small}>{[holder, memo].filter(Boolean).join(', ')}</span>
            </span>
            <span className={css.small}>{t(duplicate ? 'requisites.duplicate' : 'requisites.new')}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
