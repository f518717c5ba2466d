import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { ActionButton, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import own from './Staff.module.css';

/** Invitations that were not accepted yet. */
export function Invitations({ rows, mayEdit }: { rows: Schema<'InvitationView'>[]; mayEdit: boolean }) {
  const { t, dateTimeText } = useTexts();
  return (
    <section className={own.invitations} aria-labelledby="invitations">
      <h2 id="invitations" className={own.heading}>
        {t('staff.invitations')}
      </h2>
      <ul>
        {rows.map(({ id, email, role, expired, expiresAt, invitedBy }) => (
          <li key={id} className={own.invitation}>
            <span>
              <strong>{email}</strong>, {t(`roles.${role}`, { _: role }).toLowerCase()}
              <br />
              <span className={expired ? css.bad : css.small}>
                {expired ? t('staff.expired') : t('staff.until', { time: dateTimeText(expiresAt) })}
              </span>
              <span className={css.small}>
                {' · '}
                {invitedBy ? t('staff.sentBy', { name: invitedBy }) : t('staff.sentByServer')}
              </span>
            </span>
            {mayEdit && (
              <span className={own.buttons}>
                <ActionButton
                  label={t('action.sendAgain')}
                  aria-label={t('staff.againNamed', { email })}
                  run={() => api.POST('/invitations/{id}/resend', { params: { path: { id } } })}
                  done={t('staff.sent', { email })}
                  stale={['/staff']}
                />
                <ActionButton
                  label={t('action.withdraw')}
                  aria-label={t('staff.withdrawNamed', { email })}
                  run={() => api.DELETE('/invitations/{id}', { params: { path: { id } } })}
                  done={t('staff.withdrawn')}
                  stale={['/staff']}
                />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
