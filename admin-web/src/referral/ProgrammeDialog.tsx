import type { ReferralKind, ReferralProgramme } from '@agio/client/admin';
import DeleteOutlined from '@mui/icons-material/DeleteOutlined';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { type Draft, draftOf, termsOf } from './draft.ts';
import own from './Referral.module.css';

/** The terms of a programme. What was earned stays as it is. */
export function ProgrammeDialog({ programme, onClose }: { programme: ReferralProgramme | null; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [draft, setDraft] = useState(() => draftOf(programme));
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const terms = termsOf(draft);
  const save = useMutation({
    mutationFn: (body: NonNullable<typeof terms>) =>
      programme
        ? api.changeReferralProgramme(programme.id, { revision: programme.revision, terms: body })
        : api.addReferralProgramme(body),
    onSuccess: () => {
      saved(t('referral.saved'), KEYS.referral);
      onClose();
    },
  });
  const refused = fieldsOf(save.error);
  // A change carries the terms inside; a new programme is nothing else.
  const errorOf = (field: string) => refused[field] ?? refused[`terms.${field}`];
  const ready = terms !== null && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => terms && ready && save.mutate(terms)}
      title={t(programme ? 'referral.editTitle' : 'referral.addTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <Field
        label={t('referral.name')}
        value={draft.name}
        error={errorOf('name')}
        onValue={(name) => change({ name })}
      />
      <Choice
        label={t('referral.kind')}
        value={draft.kind}
        options={(['profit', 'amount'] as const).map((kind) => ({ value: kind, label: t(`referral.kinds.${kind}`) }))}
        onValue={(kind) => change({ kind: kind as ReferralKind })}
      />
      <Tiers draft={draft} errorOf={errorOf} onChange={change} />
      <NumberField
        label={t('referral.accrualMin')}
        help={t('referral.accrualMinHelp')}
        value={draft.accrualMin}
        error={errorOf('accrualMin')}
        onValue={(accrualMin) => change({ accrualMin })}
      />
      <NumberField
        label={t('referral.holdHours')}
        help={t('referral.holdHoursHelp')}
        value={draft.holdHours}
        error={errorOf('holdHours')}
        onValue={(holdHours) => change({ holdHours })}
      />
      <NumberField
        label={t('referral.withdrawalMin')}
        help={t('referral.withdrawalMinHelp')}
        value={draft.withdrawalMin}
        error={errorOf('withdrawalMin')}
        onValue={(withdrawalMin) => change({ withdrawalMin })}
      />
      <Refusal error={save.error} />
      {programme && <AuditLink kind="referral_programme" id={programme.id} />}
    </Modal>
  );
}

function Tiers({
  draft: { tiers },
  errorOf,
  onChange,
}: {
  draft: Draft;
  errorOf: (field: string) => string | undefined;
  onChange: (part: Partial<Draft>) => void;
}) {
  const { t } = useWords();
  const replace = (index: number, part: Partial<Draft['tiers'][number]>) =>
    onChange({ tiers: tiers.map((tier, at) => (at === index ? { ...tier, ...part } : tier)) });
  return (
    <>
      {tiers.map((tier, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tier has no name of its own but its place.
        <div key={index} className={own.tier}>
          <NumberField
            label={t('referral.tierFrom')}
            value={tier.from}
            disabled={index === 0}
            error={errorOf(`tiers[${index}].from`)}
            onValue={(from) => replace(index, { from })}
          />
          <NumberField
            label={t('referral.tierPercent')}
            value={tier.percent}
            error={errorOf(`tiers[${index}].percent`)}
            onValue={(percent) => replace(index, { percent })}
          />
          <IconButton
            aria-label={t('referral.removeTier', { number: index + 1 })}
            disabled={index === 0}
            onClick={() => onChange({ tiers: tiers.filter((_, at) => at !== index) })}
          >
            <DeleteOutlined fontSize="small" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange({ tiers: [...tiers, { from: '', percent: '' }] })}>
          {t('referral.addTier')}
        </Button>
      </div>
    </>
  );
}
