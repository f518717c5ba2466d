import { useState } from 'react';
import { useList, useMayEdit } from '../api/index.ts';
import { Button, DataTable, Page, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { Invitations } from './Invitations.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { RolesDialog } from './Roles.tsx';
import own from './Staff.module.css';
import { StaffMemberDialog } from './StaffMemberDialog.tsx';

/** The staff, open invitations, and the permissions of each role. */
export default function StaffScreen() {
  const { t, dateTimeText } = useTexts();
  const list = useList('/staff');
  const mayEdit = useMayEdit('staff');
  const [open, setOpen] = useState<'invite' | 'roles' | { id: string } | null>(null);
  const close = () => setOpen(null);
  const member = open && typeof open === 'object' ? list.rows.find((row) => row.id === open.id) : undefined;
  const invitations = list.meta?.invitations ?? [];
  const roleOf = (role: string) => t(`roles.${role}`, { _: role });
  return (
    <Page
      title={t('screens.staff')}
      line={t('staff.line')}
      actions={
        <>
          <Button onClick={() => setOpen('roles')}>{t('staff.roles')}</Button>
          {mayEdit && (
            <Button variant="contained" onClick={() => setOpen('invite')}>
              {t('staff.invite')}
            </Button>
          )}
        </>
      }
    >
      <DataTable
        list={list}
        bones={{ height: 52 }}
        rowKey={(row) => row.id}
        isOff={(row) => row.disabled}
        button={{ label: t('action.open'), name: (row) => row.name, onClick: ({ id }) => setOpen({ id }) }}
        columns={[
          {
            head: t('things.staff'),
            cell: (row) => (
              <>
                <strong>{row.name}</strong>
                {row.own && <span className={css.small}> {t('staff.you')}</span>}
                {row.disabled && <span className={css.bad}> {t('staff.disabled')}</span>}
                <br />
                <span className={css.small}>{row.email}</span>
                <span className={own.onPhone}>{roleOf(row.role)}</span>
              </>
            ),
          },
          { head: t('staff.role'), look: ['wide'], cell: (row) => roleOf(row.role) },
          {
            head: t('staff.factor'),
            look: ['wide'],
            lookOf: (row) => !row.secondFactor && 'muted',
            cell: (row) => t(row.secondFactor ? 'staff.factorOn' : 'state.none'),
          },
          {
            head: t('staff.seen'),
            look: ['small', 'wide'],
            cell: (row) => (row.seenAt ? dateTimeText(row.seenAt) : t('staff.never')),
          },
        ]}
      />
      {invitations.length > 0 && <Invitations rows={invitations} mayEdit={mayEdit} />}
      {open === 'invite' && <InviteDialog onClose={close} />}
      {open === 'roles' && <RolesDialog onClose={close} />}
      {member && <StaffMemberDialog member={member} mayEdit={mayEdit} onClose={close} />}
    </Page>
  );
}
