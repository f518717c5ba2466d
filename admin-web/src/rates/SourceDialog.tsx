import type { RateSource } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

const isWhole = (text: string) => /^\d{1,9}$/.test(text.trim());

/** How a source is set up. */
export function SourceDialog({ source, onClose }: { source: RateSource; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [draft, setDraft] = useState(() => ({
    enabled: source.enabled,
    crossCheck: source.crossCheck,
    everySeconds: String(source.everySeconds),
    maxAgeSeconds: String(source.maxAgeSeconds),
    priority: String(source.priority),
  }));
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const numbers = ['everySeconds', 'maxAgeSeconds', 'priority'] as const;
  const save = useMutation({
    mutationFn: () =>
      api.setRateSource(source.name, {
        revision: source.revision,
        enabled: draft.enabled,
        crossCheck: draft.crossCheck,
        everySeconds: Number(draft.everySeconds),
        maxAgeSeconds: Number(draft.maxAgeSeconds),
        priority: Number(draft.priority),
      }),
    onSuccess: () => {
      saved(t('live.saved'), KEYS.rateSources);
      onClose();
    },
  });
  const errors = fieldsOf(save.error);
  const ready = numbers.every((name) => isWhole(draft[name])) && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={source.title}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      {source.about && <p>{source.about}</p>}
      <Toggle label={t('live.enabled')} value={draft.enabled} onValue={(enabled) => change({ enabled })} />
      <Toggle label={t('live.crossCheck')} value={draft.crossCheck} onValue={(crossCheck) => change({ crossCheck })} />
      {numbers.map((name) => (
        <NumberField
          key={name}
          label={t(`live.field.${name}`)}
          help={t(`live.help.${name}`)}
          value={draft[name]}
          error={errors[name] ?? (isWhole(draft[name]) ? undefined : t('error.number'))}
          onValue={(value) => change({ [name]: value })}
        />
      ))}
      <Refusal error={save.error} />
      {source.revision > 0 && <AuditLink kind="rate_source" id={source.name} />}
    </Modal>
  );
}
