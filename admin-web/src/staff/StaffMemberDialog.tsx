import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, type CallResult, useAction, useList } from '../api/index.ts';
import { SessionList } from '../security/SessionList.tsx';
import { ActionButton, Button, Choice, List, Modal, Refusal, useTexts } from '../ui/index.ts';
import { ROLE_NAMES, useRoles } from './Roles.tsx';
import css from './Staff.module.css';

type Member = Schema<'StaffSummary'>;
type Props = { member: Member; mayEdit: boolean; onClose: () => void };

/** A staff member: role, access, sessions. Nobody decides about themselves here. */
export function StaffMemberDialog({ member, mayEdit, onClose }: Props) {
  const { t } = useTexts();
  const decides = mayEdit && !member.own;
  return (
    <Modal open onClose={onClose} title={member.name}>
      <div className={css.identity}>
        <span className={css.muted}>{member.email}</span>
        {!decides && <span>{t(`roles.${member.role}`, { _: member.role })}</span>}
        {member.own && (
          <>
            <p className={css.muted}>{t('staff.ownText')}</p>
            <Link to="/security">{t('staff.toSecurity')}</Link>
          </>
        )}
        {!mayEdit && !member.own && <p className={css.muted}>{t('staff.readOnly')}</p>}
      </div>
      {decides && <RolePart member={member} />}
      {decides && <AccessPart member={member} />}
      {!member.own && <Sessions id={member.id} mayEnd={decides} />}
    </Modal>
  );
}

function RolePart({ member }: { member: Member }) {
  const { t } = useTexts();
  const about = useRoles();
  const [role, setRole] = useState(member.role);
  return (
    <div className={css.part}>
      <Choice
        label={t('staff.role')}
        help={about(role)}
        value={role}
        options={ROLE_NAMES.map((value) => ({ value, label: t(`roles.${value}`) }))}
        onValue={setRole}
      />
      {role !== member.role && (
        <>
          <p className={css.muted}>{t('staff.roleText')}</p>
          <div className={css.buttons}>
            <ActionButton
              variant="contained"
              label={t('staff.changeRole')}
              run={() => api.PUT('/staff/{id}/role', { params: { path: { id: member.id } }, body: { role } })}
              done={t('staff.roleChanged')}
              stale={['/staff']}
            />
          </div>
        </>
      )}
    </div>
  );
}

function AccessPart({ member: { id, disabled, secondFactor } }: { member: Member }) {
  const { t } = useTexts();
  const params = { path: { id } };
  return (
    <div className={css.part}>
      <strong>{t('staff.access')}</strong>
      {!disabled && (
        <Step id={id} name="sendRestore" done="restoreSent" run={() => api.POST('/staff/{id}/restore', { params })} />
      )}
      {secondFactor && (
        <Step
          id={id}
          name="resetFactor"
          done="factorReset"
          final
          run={() => api.POST('/staff/{id}/second-factor/reset', { params })}
        />
      )}
      {disabled ? (
        <Step id={id} name="enable" done="nowEnabled" run={() => api.POST('/staff/{id}/enable', { params })} />
      ) : (
        <Step id={id} name="disable" done="nowDisabled" final run={() => api.POST('/staff/{id}/disable', { params })} />
      )}
    </div>
  );
}

type StepProps = {
  id: string;
  name: 'sendRestore' | 'resetFactor' | 'enable' | 'disable';
  done: string;
  /** It cannot be undone. */
  final?: boolean;
  run: () => CallResult<unknown>;
};

/** Something to do about a member's access, with its effect beside it. */
function Step({ id, name, done, final, run }: StepProps) {
  const { t } = useTexts();
  return (
    <div className={css.step}>
      <p className={css.muted}>{t(`staff.${name}Text`)}</p>
      <ActionButton
        label={t(`staff.${name}`)}
        sure={final && t('action.sure')}
        run={run}
        done={t(`staff.${done}`)}
        stale={['/staff', `/staff/${id}*`]}
      />
    </div>
  );
}

function Sessions({ id, mayEnd }: { id: string; mayEnd: boolean }) {
  const { t } = useTexts();
  const list = useList('/staff/{id}/sessions', { path: { id } });
  const end = useAction({
    run: (session: string | null) =>
      session
        ? api.DELETE('/staff/{id}/sessions/{session}', { params: { path: { id, session } } })
        : api.DELETE('/staff/{id}/sessions', { params: { path: { id } } }),
    done: (_, session) => t(session ? 'security.ended' : 'staff.endedAll'),
    stale: [`/staff/${id}/sessions`],
  });
  return (
    <div className={css.part}>
      <strong>{t('staff.sessions')}</strong>
      <List list={list} bones={{ rows: 1, height: 44 }} empty={<p className={css.muted}>{t('staff.noSessions')}</p>}>
        {(rows) => (
          <SessionList
            sessions={rows}
            busy={end.isPending}
            onEnd={mayEnd ? (session) => end.mutate(session.id) : null}
          />
        )}
      </List>
      <Refusal error={end.error} />
      {mayEnd && list.rows.length > 1 && (
        <div className={css.buttons}>
          <Button disabled={end.isPending} onClick={() => end.mutate(null)}>
            {t('staff.endAll')}
          </Button>
        </div>
      )}
    </div>
  );
}
