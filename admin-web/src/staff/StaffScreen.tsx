import type { Colleague } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { ColleagueDialog } from './ColleagueDialog.tsx';
import { Invitations } from './Invitations.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { STAFF } from './keys.ts';
import { RolesDialog } from './RolesDialog.tsx';
import own from './Staff.module.css';

/** Who works here: colleagues, invitations nobody took yet, and what a role may do. */
export default function StaffScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({ queryKey: STAFF, queryFn: api.staff });
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'staff', action: 'edit' });
  const [open, setOpen] = useState<'invite' | 'roles' | { id: string } | null>(null);
  const close = () => setOpen(null);
  const chosen = open && typeof open === 'object' ? data?.items.find((one) => one.id === open.id) : undefined;
  return (
    <Page
      title={t('staff.title')}
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
      {isPending && <SkeletonRows height={52} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <StaffTable rows={data.items} onOpen={(row) => setOpen({ id: row.id })} />}
      {data && data.invitations.length > 0 && <Invitations rows={data.invitations} mayEdit={mayEdit} />}
      {open === 'invite' && <InviteDialog onClose={close} />}
      {open === 'roles' && <RolesDialog onClose={close} />}
      {chosen && <ColleagueDialog colleague={chosen} mayEdit={mayEdit} onClose={close} />}
    </Page>
  );
}

function StaffTable({ rows, onOpen }: { rows: Colleague[]; onOpen: (row: Colleague) => void }) {
  const { t } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('staff.person')}</th>
            <th scope="col" className={css.wide}>
              {t('staff.role')}
            </th>
            <th scope="col" className={css.wide}>
              {t('staff.factor')}
            </th>
            <th scope="col" className={css.wide}>
              {t('staff.seen')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('staff.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} onOpen={() => onOpen(row)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, onOpen }: { row: Colleague; onOpen: () => void }) {
  const { t, language } = useWords();
  const role = t(`roles.${row.role}`, { _: row.role });
  return (
    <tr className={row.disabled ? css.off : undefined}>
      <td>
        <strong>{row.name}</strong>
        {row.own && <span className={css.small}> {t('staff.you')}</span>}
        {row.disabled && <span className={css.bad}> {t('staff.disabled')}</span>}
        <br />
        <span className={css.small}>{row.email}</span>
        <span className={own.onPhone}>{role}</span>
      </td>
      <td className={css.wide}>{role}</td>
      <td className={`${css.wide} ${row.secondFactor ? '' : css.muted}`}>
        {t(row.secondFactor ? 'staff.factorOn' : 'staff.factorOff')}
      </td>
      <td className={`${css.small} ${css.wide}`}>{row.seenAt ? momentText(row.seenAt, language) : t('staff.never')}</td>
      <td className={css.actions}>
        <Button onClick={onOpen} aria-label={`${t('staff.open')}: ${row.name}`}>
          {t('staff.open')}
        </Button>
      </td>
    </tr>
  );
}
