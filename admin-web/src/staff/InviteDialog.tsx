import type { InvitationInput, Language, RoleName } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { Choice, Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { ROLE_NAMES, STAFF } from './keys.ts';
import css from './Staff.module.css';
import { useRoles } from './useRoles.ts';

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t, language } = useWords();
  const saved = useSaved();
  const about = useRoles();
  const [draft, setDraft] = useState<InvitationInput>({ email: '', role: 'operator', language });
  // One key for one filled-in dialog: sent twice, it still invites once.
  const key = useRef(crypto.randomUUID());
  const change = (part: Partial<InvitationInput>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...part });
  };
  const invite = useMutation({
    mutationFn: () => api.invite({ ...draft, email: draft.email.trim() }, key.current),
    onSuccess: ({ email }) => {
      saved(t('staff.sent', { email }), STAFF);
      onClose();
    },
  });
  const errors = fieldsOf(invite.error);
  const ready = draft.email.trim() !== '' && !invite.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && invite.mutate()}
      title={t('staff.inviteTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t('staff.send')}
          </Button>
        </>
      }
    >
      <p className={css.muted}>{t('staff.inviteText')}</p>
      <Field
        label={t('staff.email')}
        type="email"
        autoComplete="off"
        autoFocus
        value={draft.email}
        error={errors.email}
        onValue={(email) => change({ email })}
      />
      <Choice
        label={t('staff.role')}
        help={about(draft.role)}
        value={draft.role}
        options={ROLE_NAMES.map((role) => ({ value: role, label: t(`roles.${role}`) }))}
        onValue={(role) => change({ role: role as RoleName })}
      />
      <Choice
        label={t('staff.language')}
        value={draft.language}
        options={[
          { value: 'ru', label: 'Русский' },
          { value: 'en', label: 'English' },
        ]}
        onValue={(chosen) => change({ language: chosen as Language })}
      />
      {!errors.email && <Refusal error={invite.error} />}
    </Modal>
  );
}
