import type { Invitation } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { momentText } from '../ui/format.ts';
import { Refusal } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { STAFF } from './keys.ts';
import own from './Staff.module.css';

/** Who was invited and did not come yet. */
export function Invitations({ rows, mayEdit }: { rows: Invitation[]; mayEdit: boolean }) {
  const { t, language } = useWords();
  const saved = useSaved();
  const again = useMutation({
    mutationFn: (row: Invitation) => api.inviteAgain(row.id),
    onSuccess: (row) => saved(t('staff.sent', { email: row.email }), STAFF),
  });
  const withdraw = useMutation({
    mutationFn: (row: Invitation) => api.withdrawInvitation(row.id),
    onSuccess: () => saved(t('staff.withdrawn'), STAFF),
  });
  const busy = again.isPending || withdraw.isPending;
  return (
    <section className={own.invitations} aria-labelledby="invitations">
      <h2 id="invitations" className={own.heading}>
        {t('staff.invitations')}
      </h2>
      <Refusal error={again.error ?? withdraw.error} />
      <ul>
        {rows.map((row) => (
          <li key={row.id} className={own.invitation}>
            <span>
              <strong>{row.email}</strong>, {t(`roles.${row.role}`, { _: row.role }).toLowerCase()}
              <br />
              <span className={row.expired ? css.bad : css.small}>
                {row.expired ? t('staff.expired') : t('staff.until', { time: momentText(row.expiresAt, language) })}
              </span>
              <span className={css.small}>
                {' · '}
                {row.invitedBy ? t('staff.sentBy', { name: row.invitedBy }) : t('staff.sentByHouse')}
              </span>
            </span>
            {mayEdit && (
              <span className={own.buttons}>
                <Button
                  disabled={busy}
                  aria-label={t('staff.againNamed', { email: row.email })}
                  onClick={() => again.mutate(row)}
                >
                  {t('staff.again')}
                </Button>
                <Button
                  disabled={busy}
                  aria-label={t('staff.withdrawNamed', { email: row.email })}
                  onClick={() => withdraw.mutate(row)}
                >
                  {t('staff.withdraw')}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
