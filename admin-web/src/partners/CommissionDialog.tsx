import type { PartnerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Segments } from '../ui/Segments.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { PARTNERS, partnerOf } from './keys.ts';
import css from './Partners.module.css';

const KINDS = ['profit', 'amount'] as const;

/** What a partner earns from now on; what was earned stays as it is. */
export function CommissionDialog({ partner, onClose }: { partner: PartnerRow; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [kind, setKind] = useState<(typeof KINDS)[number]>(partner.commissionKind);
  const [percent, setPercent] = useState(partner.commissionPercent);
  const save = useMutation({
    mutationFn: () =>
      api.changePartner(partner.id, {
        revision: partner.revision,
        commissionKind: kind,
        commissionPercent: percent.trim().replace(',', '.'),
      }),
    onSuccess: () => {
      saved(t('partners.saved'), PARTNERS, partnerOf(partner.id));
      onClose();
    },
  });
  const errors = fieldsOf(save.error);
  const ready = percent.trim() !== '' && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={t('partners.commission')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <Segments
        label={t('partners.commissionKind')}
        value={kind}
        options={KINDS.map((value) => ({ value, label: t(`partners.kinds.${value}`) }))}
        onValue={(value) => setKind(value as (typeof KINDS)[number])}
      />
      <p className={css.muted}>{t(`partners.kindHelp.${kind}`)}</p>
      <Field
        label={t('partners.percent')}
        value={percent}
        error={errors.commissionPercent}
        autoComplete="off"
        autoFocus
        onValue={setPercent}
      />
      {Object.keys(errors).length === 0 && <Refusal error={save.error} />}
    </Modal>
  );
}
