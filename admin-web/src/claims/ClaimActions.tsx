import MoreHorizOutlined from '@mui/icons-material/MoreHorizOutlined';
import MenuItem from '@mui/material/MenuItem';
import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { Badge, Button, Drop, IconButton, Kbd, useTexts } from '../ui/index.ts';
import css from './ClaimPanel.module.css';
import { offered, textsOf } from './transitions.ts';
import type { Claim, Transition } from './types.ts';

type Props = {
  claim: Claim;
  mayAct: boolean;
  /** Assigned to another staff member. */
  held: boolean;
  mine: boolean;
  busy: boolean;
  onChoose: (transition: Transition) => void;
  onLock: () => void;
  onUnlock: () => void;
};

const SHORTCUTS: Partial<Record<Transition['action'], string>> = { hold: 'H', reject: 'X', refund: 'B' };
const SHOWN = 3;

/** The steps the server allows now. */
export function ClaimActions(props: Props) {
  const { t } = useTexts();
  const { claim, mayAct, held } = props;
  return (
    <>
      {mayAct && !held && offered(claim).length > 0 && <Buttons {...props} />}
      {claim.status === 'verification' && claim.verification && (
        <div className={css.actions}>
          <Button size="large" variant="contained" component={Link} to={`/verifications/${claim.verification}`}>
            {t('verifications.toVerification')}
          </Button>
        </div>
      )}
      {!mayAct && <p className={css.only}>{t('claim.readOnly')}</p>}
      <Assignment {...props} />
    </>
  );
}

function Buttons({ claim, busy, onChoose }: Props) {
  const { t } = useTexts();
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const near = offered(claim).slice(0, SHOWN);
  const far = offered(claim).slice(SHOWN);
  const label = (transition: Transition) => t(`${textsOf(claim, transition)}.label`);
  return (
    <div className={css.actions}>
      {near.map((transition) => (
        <Button
          key={transition.action}
          size="large"
          variant={transition.main ? 'contained' : 'outlined'}
          color={transition.danger ? 'error' : 'inherit'}
          disabled={busy}
          onClick={() => onChoose(transition)}
          endIcon={shortcut(transition)}
        >
          {label(transition)}
        </Button>
      ))}
      {far.length > 0 && (
        <IconButton
          ref={anchor}
          aria-label={t('claim.moreActions')}
          aria-haspopup="menu"
          disabled={busy}
          onClick={() => setOpen(true)}
        >
          <MoreHorizOutlined fontSize="small" />
        </IconButton>
      )}
      <Drop anchor={anchor} open={open} onClose={() => setOpen(false)}>
        {far.map((transition) => (
          <MenuItem
            key={transition.action}
            className={transition.danger ? css.dangerItem : undefined}
            onClick={() => {
              setOpen(false);
              onChoose(transition);
            }}
          >
            {label(transition)}
          </MenuItem>
        ))}
      </Drop>
    </div>
  );
}

function shortcut(transition: Transition) {
  const key = transition.main ? 'Y' : SHORTCUTS[transition.action];
  return key ? <Kbd>{key}</Kbd> : undefined;
}

/** The staff member the claim is assigned to, and buttons to take or unlock it. */
function Assignment({ claim, mayAct, held, mine, busy, onLock, onUnlock }: Props) {
  const { t } = useTexts();
  const name = claim.holder?.name ?? '';
  if (claim.turn === 'done') return null;
  const text = held ? t('claim.heldBy', { name }) : t(mine ? 'claim.heldByYou' : 'claim.free');
  return (
    <div className={css.holding}>
      {claim.holder && <Badge name={name} mine={mine} />}
      <p className={css.holder}>{text}</p>
      {mayAct && mine && (
        <Button variant="text" disabled={busy} onClick={onUnlock} endIcon={<Kbd>R</Kbd>}>
          {t('claim.release')}
        </Button>
      )}
      {mayAct && !mine && (
        <Button variant="outlined" disabled={busy} onClick={onLock} endIcon={<Kbd>T</Kbd>}>
          {t(held ? 'claim.takeOver' : 'claim.take')}
        </Button>
      )}
    </div>
  );
}
