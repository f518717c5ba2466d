import type { Currency, Monitor } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { codesText, readCodes } from './codes.ts';
import { MarkSet } from './MarkSet.tsx';

/** A monitor: its address, codes and marks. */
export function MonitorDialog({
  monitor,
  marks,
  currencies,
  onClose,
}: {
  monitor: Monitor | null;
  marks: string[];
  currencies: Currency[];
  onClose: () => void;
}) {
  const { t } = useWords();
  const saved = useSaved();
  const [key] = useState(() => crypto.randomUUID());
  const [draft, setDraft] = useState(() => ({
    slug: monitor?.slug ?? '',
    name: monitor?.name ?? '',
    city: monitor?.city ?? '',
    enabled: monitor?.enabled ?? true,
    marks: monitor?.marks ?? [],
    codes: codesText(monitor?.codes ?? [], currencies),
  }));
  const [removing, setRemoving] = useState(false);
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const read = readCodes(draft.codes, currencies);
  const done = (words: string) => {
    saved(words, [...KEYS.monitors]);
    onClose();
  };
  const save = useMutation({
    mutationFn: () => {
      const { name, city, enabled } = draft;
      const rest = {
        name: name.trim(),
        city: city.trim(),
        marks: draft.marks,
        codes: 'codes' in read ? read.codes : [],
      };
      return monitor
        ? api.updateMonitor(monitor.id, { revision: monitor.revision, enabled, ...rest })
        : api.addMonitor({ slug: draft.slug.trim(), ...rest }, key);
    },
    onSuccess: () => done(t('monitors.saved')),
  });
  const remove = useMutation({
    mutationFn: (id: string) => api.removeMonitor(id),
    onSuccess: () => done(t('monitors.removed')),
  });
  const errors = fieldsOf(save.error);
  const codesError = Object.entries(errors).find(([field]) => field.startsWith('codes'))?.[1];
  const ready = draft.name.trim() !== '' && draft.slug.trim() !== '' && 'codes' in read && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={monitor?.name ?? t('monitors.addTitle')}
      actions={
        <>
          {monitor && (
            <Button
              color="error"
              disabled={remove.isPending}
              onClick={() => (removing ? remove.mutate(monitor.id) : setRemoving(true))}
            >
              {t(removing ? 'monitors.removeAsk' : 'monitors.remove')}
            </Button>
          )}
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <Field
        label={t('monitors.slug')}
        help={t('monitors.slugHelp')}
        value={draft.slug}
        error={errors.slug}
        disabled={monitor !== null}
        onValue={(slug) => change({ slug })}
      />
      <Field label={t('monitors.name')} value={draft.name} error={errors.name} onValue={(name) => change({ name })} />
      <Field
        label={t('monitors.codes')}
        help={t('monitors.codesHelp')}
        value={draft.codes}
        error={'wrong' in read ? t('monitors.codesWrong', { part: read.wrong }) : codesError}
        onValue={(codes) => change({ codes })}
      />
      <Field
        label={t('monitors.city')}
        help={t('monitors.cityHelp')}
        value={draft.city}
        error={errors.city}
        onValue={(city) => change({ city: city.toUpperCase() })}
      />
      {monitor && (
        <Toggle label={t('monitors.enabled')} value={draft.enabled} onValue={(enabled) => change({ enabled })} />
      )}
      <MarkSet
        legend={t('monitors.allMarks')}
        all={marks}
        marks={draft.marks}
        onMarks={(chosen) => change({ marks: chosen })}
      />
      <Refusal error={save.error ?? remove.error} />
      {monitor && <AuditLink kind="monitor" id={monitor.id} />}
    </Modal>
  );
}
