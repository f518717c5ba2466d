import type { Schema } from '@agio/client/admin';
import { api, useGet } from '../api/index.ts';
import { Choice, Field, FormDialog, useTexts } from '../ui/index.ts';
import { ROLE_NAMES, useRoles } from './Roles.tsx';
import css from './Staff.module.css';

/** Invites somebody to the staff by email. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t, language } = useTexts();
  const about = useRoles();
  const isKept = useGet('/mail', { query: { size: 1 } }).data?.local;
  return (
    <FormDialog
      title={t('staff.inviteTitle')}
      initial={{ email: '', role: 'operator', language } as Schema<'InviteStaffRequest'>}
      required={['email']}
      save={(draft, once) => api.POST('/invitations', { ...once, body: { ...draft, email: draft.email.trim() } })}
      submit={t('staff.send')}
      done={({ email }) => t(isKept ? 'staff.kept' : 'staff.sent', { email })}
      stale={['/staff']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p className={css.muted}>{t(isKept ? 'staff.inviteTextKept' : 'staff.inviteText')}</p>
          <Field label={t('fields.email')} type="email" autoComplete="off" autoFocus {...field('email')} />
          <Choice
            label={t('staff.role')}
            help={about(field('role').value)}
            options={ROLE_NAMES.map((value) => ({ value, label: t(`roles.${value}`) }))}
            {...field('role')}
          />
          <Choice
            label={t('staff.language')}
            options={[
              { value: 'ru', label: 'Русский' },
              { value: 'en', label: 'English' },
            ]}
            {...field('language')}
          />
        </>
      )}
    </FormDialog>
  );
}
