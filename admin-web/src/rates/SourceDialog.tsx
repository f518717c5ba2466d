import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { AuditLink, FormDialog, NumberField, Toggle, useTexts } from '../ui/index.ts';

const NUMBERS = ['everySeconds', 'maxAgeSeconds', 'priority'] as const;

const isWhole = (text: string) => /^\d{1,9}$/.test(text.trim());

/** The configuration of a rate source. */
export function SourceDialog({ source, onClose }: { source: Schema<'RateSourceView'>; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={source.title}
      initial={{
        enabled: source.enabled,
        crossCheck: source.crossCheck,
        everySeconds: String(source.everySeconds),
        maxAgeSeconds: String(source.maxAgeSeconds),
        priority: String(source.priority),
      }}
      isReady={(draft) => NUMBERS.every((name) => isWhole(draft[name]))}
      save={({ enabled, crossCheck, everySeconds, maxAgeSeconds, priority }) =>
        api.PUT('/rates/sources/{name}', {
          params: { path: { name: source.name } },
          body: {
            revision: source.revision,
            enabled,
            crossCheck,
            everySeconds: Number(everySeconds),
            maxAgeSeconds: Number(maxAgeSeconds),
            priority: Number(priority),
          },
        })
      }
      done={t('live.saved')}
      stale={['/rates*']}
      onClose={onClose}
    >
      {({ field, toggle, draft, error }) => (
        <>
          {source.about && <p>{source.about}</p>}
          <Toggle label={t('live.enabled')} {...toggle('enabled')} />
          <Toggle label={t('live.crossCheck')} {...toggle('crossCheck')} />
          {NUMBERS.map((name) => (
            <NumberField
              key={name}
              label={t(`live.field.${name}`)}
              help={t(`live.help.${name}`)}
              {...field(name)}
              error={error(name) ?? (isWhole(draft[name]) ? undefined : t('error.number'))}
            />
          ))}
          {source.revision > 0 && <AuditLink kind="rate_source" id={source.name} />}
        </>
      )}
    </FormDialog>
  );
}
