import type { Colleague, RoleName } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { Choice } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { ColleagueSessions } from './ColleagueSessions.tsx';
import { ROLE_NAMES, STAFF, sessionsOf } from './keys.ts';
import css from './Staff.module.css';
import { useRoles } from './useRoles.ts';

type Props = { colleague: Colleague; mayEdit: boolean; onClose: () => void };

/** A colleague: role, access, sessions. About themselves nobody decides here. */
export function ColleagueDialog({ colleague, mayEdit, onClose }: Props) {
  const { t } = useWords();
  const decides = mayEdit && !colleague.own;
  return (
    <Modal open onClose={onClose} title={colleague.name}>
      <div className={css.person}>
        <span className={css.muted}>{colleague.email}</span>
        {!decides && <span>{t(`roles.${colleague.role}`, { _: colleague.role })}</span>}
        {colleague.own && (
          <>
            <p className={css.muted}>{t('staff.ownText')}</p>
            <Link to="/security">{t('staff.toSecurity')}</Link>
          </>
        )}
        {!mayEdit && !colleague.own && <p className={css.muted}>{t('staff.readOnly')}</p>}
      </div>
      {decides && <RolePart colleague={colleague} />}
      {decides && <AccessPart colleague={colleague} />}
      {!colleague.own && <ColleagueSessions colleague={colleague} mayEnd={decides} />}
    </Modal>
  );
}

function RolePart({ colleague }: { colleague: Colleague }) {
  const { t } = useWords();
  const saved = useSaved();
  const about = useRoles();
  const [role, setRole] = useState(colleague.role);
  const change = useMutation({
    mutationFn: () => api.changeRole(colleague.id, role as RoleName),
    onSuccess: () => saved(t('staff.roleChanged'), STAFF),
  });
  return (
    <div className={css.part}>
      <Choice
        label={t('staff.role')}
        help={about(role)}
        value={role}
        options={ROLE_NAMES.map((name) => ({ value: name, label: t(`roles.${name}`) }))}
        onValue={setRole}
      />
      {role !== colleague.role && (
        <>
          <p className={css.muted}>{t('staff.roleText')}</p>
          <div className={css.buttons}>
            <Button variant="contained" disabled={change.isPending} onClick={() => change.mutate()}>
              {t(change.isPending ? 'action.saving' : 'staff.changeRole')}
            </Button>
          </div>
        </>
      )}
      <Refusal error={change.error} />
    </div>
  );
}

function AccessPart({ colleague }: { colleague: Colleague }) {
  const { t } = useWords();
  const { id, disabled, secondFactor } = colleague;
  return (
    <div className={css.part}>
      <strong>{t('staff.access')}</strong>
      {!disabled && <Step name="sendRestore" id={id} send={() => api.sendRestore(id)} done="staff.restoreSent" />}
      {secondFactor && (
        <Step name="resetFactor" id={id} send={() => api.resetSecondFactor(id)} done="staff.factorReset" sure />
      )}
      {disabled ? (
        <Step name="enable" id={id} send={() => api.enableStaff(id)} done="staff.nowEnabled" />
      ) : (
        <Step name="disable" id={id} send={() => api.disableStaff(id)} done="staff.nowDisabled" sure />
      )}
    </div>
  );
}

/** Something to do about somebody's access, with what it does beside it. What cannot be undone is pressed twice. */
function Step({
  name,
  id,
  send,
  done,
  sure,
}: {
  name: 'sendRestore' | 'resetFactor' | 'enable' | 'disable';
  id: string;
  send: () => Promise<unknown>;
  done: string;
  sure?: boolean;
}) {
  const { t } = useWords();
  const saved = useSaved();
  const [armed, setArmed] = useState(!sure);
  const step = useMutation({
    mutationFn: send,
    onSuccess: () => {
      setArmed(!sure);
      saved(t(done), STAFF, sessionsOf(id));
    },
  });
  return (
    <div>
      <div className={css.step}>
        <p className={css.muted}>{t(`staff.${name}Text`)}</p>
        <Button
          color={armed && sure ? 'error' : 'inherit'}
          disabled={step.isPending}
          onBlur={() => setArmed(!sure)}
          onClick={() => (armed ? step.mutate() : setArmed(true))}
        >
          {t(armed && sure ? 'staff.sure' : `staff.${name}`)}
        </Button>
      </div>
      <Refusal error={step.error} />
    </div>
  );
}
