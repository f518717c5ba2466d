import type { Schema } from '@agio/client/admin';
import { useList } from '../api/index.ts';
import { List, Modal, useTexts } from '../ui/index.ts';
import css from './Staff.module.css';

/** The roles, from the one with the most permissions. */
export const ROLE_NAMES: Schema<'StaffSummary'>['role'][] = ['owner', 'operator', 'cashier', 'editor', 'auditor'];

/** What a role is for, as the server describes it. */
export function useRoles(): (role: string) => string | undefined {
  const { rows } = useList('/staff/roles');
  return (role) => rows.find(({ name }) => name === role)?.about;
}

/** Each role with its permissions, as the server enforces them. */
export function RolesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const list = useList('/staff/roles');
  return (
    <Modal open onClose={onClose} title={t('staff.rolesTitle')}>
      <List list={list} bones={{ rows: 5, height: 64 }}>
        {(rows) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is long, and what scrolls is reached by the keyboard.
          <ul tabIndex={0} aria-label={t('staff.rolesTitle')}>
            {rows.map((role) => (
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
        )}
      </List>
    </Modal>
  );
}
