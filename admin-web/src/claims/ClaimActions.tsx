import MoreHorizOutlined from '@mui/icons-material/MoreHorizOutlined';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { Badge } from '../ui/Badge.tsx';
import { Drop } from '../ui/Drop.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { useTexts } from '../ui/useTexts.ts';
import css from './ClaimPanel.module.css';
import { paysAsAgreed } from './recalculation.ts';
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

/**
 * The steps that can be made: one that waits for approval is not requested twice, and no refund is sent without a
 * destination.
 */
export function offered(claim: Claim): Transition[] {
  const open = claim.transitions.filter(
    ({ action, consent }) =>
      (!consent || claim.consent?.state !== 'waiting') && !(action === 'refund_sent' && claim.returned?.isMissing),
  );
  // Paying as agreed for another amount comes last.
  const isLast = (transition: Transition) => transition.consent && paysAsAgreed(claim, transition);
  return [...open.filter((transition) => !isLast(transition)), ...open.filter(isLast)];
}

/** Steps with other texts once a part is paid out. */
const OF_THE_REST: Transition['action'][] = ['payout_sent', 'refund'];

/** Steps with other texts while a surplus is returned beside the exchange. */
const OF_SURPLUS: Transition['action'][] = ['complete', 'refund_sent', 'refund_done'];

/** The texts of a step; one that needs a second person is an approval request. */
export function textsOf(claim: Claim, transition: Transition): string {
  const { action, consent, needs } = transition;
  if (paysAsAgreed(claim, transition)) return `asAgreed.${consent ? 'approval' : 'within'}`;
  if (consent) return `approvals.${action}`;
  if (claim.surplus !== null && OF_SURPLUS.includes(action)) return `surplus.${action}`;
  if (claim.paidOut && OF_THE_REST.includes(action)) return `rest.${action}`;
  // Only cash changes hands for a code.
  return `${needs.includes('meetingCode') ? 'cash' : 'moves'}.${action}`;
}

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
