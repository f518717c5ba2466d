import type { Schema } from '@agio/client/admin';
import { api, useCurrencies } from '../api/index.ts';
import { ActionButton, AuditLink, Field, FormDialog, Toggle, useTexts } from '../ui/index.ts';
import { codesText, readCodes } from './codes.ts';
import { type Mark, MarkSet } from './MarkSet.tsx';

type Props = { aggregator: Schema<'Aggregator'> | null; marks: Mark[]; onClose: () => void };

/** An aggregator: its address, codes and marks. */
export function AggregatorDialog({ aggregator, marks: all, onClose }: Props) {
  const { t } = useTexts();
  const currencies = useCurrencies();
  const params = { path: { id: aggregator?.id ?? '' } };
  const stale = ['/aggregators*'];
  return (
    <FormDialog
      title={aggregator?.name ?? t('aggregators.addTitle')}
      initial={() => ({
        slug: aggregator?.slug ?? '',
        name: aggregator?.name ?? '',
        enabled: aggregator?.enabled ?? true,
        marks: aggregator?.marks ?? [],
        codes: codesText(aggregator?.codes ?? [], currencies),
      })}
      required={['slug', 'name']}
      isReady={({ codes }) => 'codes' in readCodes(codes, currencies)}
      save={({ slug, name, enabled, marks, codes }, once) => {
        const read = readCodes(codes, currencies);
        const terms = { name: name.trim(), marks, codes: 'codes' in read ? read.codes : [] };
        return aggregator
          ? api.PATCH('/aggregators/{id}', { params, body: { revision: aggregator.revision, enabled, ...terms } })
          : api.POST('/aggregators', { ...once, body: { slug: slug.trim(), ...terms } });
      }}
      done={t('aggregators.saved')}
      stale={stale}
      actions={
        aggregator && (
          <ActionButton
            color="error"
            label={t('aggregators.remove')}
            sure={t('aggregators.removeAsk')}
            run={() => api.DELETE('/aggregators/{id}', { params })}
            done={t('aggregators.removed')}
            stale={stale}
            onDone={onClose}
          />
        )
      }
      onClose={onClose}
    >
      {({ field, toggle, error, draft, change }) => {
        const read = readCodes(draft.codes, currencies);
        const wrong = 'wrong' in read && t('aggregators.codesWrong', { part: read.wrong });
        return (
          <>
            <Field
              label={t('fields.address')}
              help={t('aggregators.slugHelp')}
              disabled={aggregator !== null}
              {...field('slug')}
            />
            <Field label={t('fields.name')} {...field('name')} />
            <Field
              label={t('aggregators.codes')}
              help={t('aggregators.codesHelp')}
              {...field('codes')}
              error={wrong || error('codes', { within: true })}
            />
            {aggregator && <Toggle label={t('aggregators.enabled')} {...toggle('enabled')} />}
            <MarkSet
              legend={t('aggregators.allMarks')}
              all={all}
              marks={draft.marks}
              onMarks={(marks) => change({ marks })}
            />
            {aggregator && <AuditLink kind="aggregator" id={aggregator.id} />}
          </>
        );
      }}
    </FormDialog>
  );
}
