import type { PartnerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { PARTNERS, partnerOf } from './keys.ts';
import type { Shown } from './SecretDialog.tsx';

type Props = { partner?: PartnerRow; onClose: () => void; onMade?: (shown: Shown) => void };

/** A new partner, or what is changed of one. */
export function PartnerDialog({ partner, onClose, onMade }: Props) {
  const { t } = useWords();
  const saved = useSaved();
  const [draft, setDraft] = useState({
    name: partner?.name ?? '',
    email: partner?.email ?? '',
    callbackUrl: partner?.callbackUrl ?? '',
  });
  // One key for one filled-in dialog: sent twice, it still makes one partner.
  const key = useRef(crypto.randomUUID());
  const change = (part: Partial<typeof draft>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...part });
  };
  const save = useMutation({
    mutationFn: async () => {
      if (partner) {
        await api.changePartner(partner.id, { ...draft, revision: partner.revision });
        return null;
      }
      return api.addPartner(draft, key.current);
    },
    onSuccess: (made) => {
      saved(t(made ? 'partners.added' : 'partners.saved'), PARTNERS, ...(partner ? [partnerOf(partner.id)] : []));
      onClose();
      if (made) onMade?.({ title: t('partners.newsSecret'), text: t('partners.newsSecretText'), secret: made.secret });
    },
  });
  const errors = fieldsOf(save.error);
  const ready = draft.name.trim() !== '' && draft.email.trim() !== '' && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={t(partner ? 'partners.edit' : 'partners.add')}
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
        label={t('partners.name')}
        autoFocus
        autoComplete="off"
        value={draft.name}
        error={errors.name}
        onValue={(name) => change({ name })}
      />
      <Field
        label={t('partners.email')}
        type="email"
        autoComplete="off"
        value={draft.email}
        error={errors.email}
        onValue={(email) => change({ email })}
      />
      <Field
        label={t('partners.callback')}
        help={t('partners.callbackHelp')}
        type="url"
        autoComplete="off"
        value={draft.callbackUrl}
        error={errors.callbackUrl}
        onValue={(callbackUrl) => change({ callbackUrl })}
      />
      {Object.keys(errors).length === 0 && <Refusal error={save.error} />}
    </Modal>
  );
}
