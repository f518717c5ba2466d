import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { Modal } from '../ui/Modal.tsx';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import { ROLES } from './keys.ts';
import css from './Staff.module.css';

/** Each role with everything it may do, as the server enforces it. */
export function RolesDialog({ onClose }: { onClose: () => void }) {
  const { t, language } = useWords();
  const { data, error, refetch } = useQuery({ queryKey: [...ROLES, language], queryFn: api.roles });
  return (
    <Modal open onClose={onClose} title={t('staff.rolesTitle')}>
      {!data && !error && <SkeletonRows rows={5} height={64} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is long, and what scrolls is reached by the keyboard. */}
      <ul tabIndex={0} aria-label={t('staff.rolesTitle')}>
        {data?.map((role) => (
          <li key={role.name} className={css.role}>
            <strong>{t(`roles.${role.name}`, { _: role.title })}</strong>
            <p className={css.muted}>{role.about}</p>
            <ul className={css.may} aria-label={t('staff.may')}>
              {role.permissions.map((permission) => (
                <li key={permission.name}>{permission.title}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
