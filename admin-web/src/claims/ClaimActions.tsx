import type { Claim, Transition } from '@agio/client/admin';
import MoreHorizOutlined from '@mui/icons-material/MoreHorizOutlined';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { Badge } from '../ui/Badge.tsx';
import { Drop } from '../ui/Drop.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './ClaimPanel.module.css';
import { paysAsAgreed } from './recalculation.ts';

type Props = {
  claim: Claim;
  mayAct: boolean;
  /** In a colleague's hands. */
  held: boolean;
  mine: boolean;
  busy: boolean;
  onChoose: (transition: Transition) => void;
  onLock: () => void;
  onUnlock: () => void;
};

const SHORTCUTS: Record<string, string> = { hold: 'H', reject: 'X', refund: 'B' };
const SHOWN = 3;

/**
 * The steps that can be made: one that waits for a colleague's word is not proposed twice, and nothing is returned while
 * nobody knows where to.
 */
export function offered(claim: Claim): Transition[] {
  const open = claim.transitions.filter(
    ({ action, consent }) =>
      (!consent || claim.consent?.state !== 'waiting') && !(action === 'refund_sent' && claim.returned?.isMissing),
  );
  // Paying out what was not agreed on is the last thing to think of.
  const isLast = (transition: Transition) => transition.consent && paysAsAgreed(claim, transition);
  return [...open.filter((transition) => !isLast(transition)), ...open.filter(isLast)];
}

/** Steps that mean something else once a part is paid out. */
const OF_THE_REST: Transition['action'][] = ['payout_sent', 'refund'];

/** The words of a step: a step that a colleague has to agree to first is a proposal. */
export function wordsOf(claim: Claim, transition: Transition): string {
  const { action, consent } = transition;
  if (paysAsAgreed(claim, transition)) return `asAgreed.${consent ? 'proposed' : 'within'}`;
  if (consent) return `proposals.${action}`;
  return claim.paidOut && OF_THE_REST.includes(action) ? `rest.${action}` : `moves.${action}`;
}

/** What may be done now, as the server says it. Nothing else is ever offered. */
export function ClaimActions(props: Props) {
  const { t } = useWords();
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
      <Holding {...props} />
    </>
  );
}

function Buttons({ claim, busy, onChoose }: Props) {
  const { t } = useWords();
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const near = offered(claim).slice(0, SHOWN);
  const far = offered(claim).slice(SHOWN);
  const label = (transition: Transition) => t(`${wordsOf(claim, transition)}.label`);
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

/** Who has the claim in hand, and how to take it or let it go. */
function Holding({ claim, mayAct, held, mine, busy, onLock, onUnlock }: Props) {
  const { t } = useWords();
  const name = claim.holder?.name ?? '';
  if (claim.turn === 'done') return null;
  const words = held ? t('claim.heldBy', { name }) : t(mine ? 'claim.heldByYou' : 'claim.free');
  return (
    <div className={css.holding}>
      {claim.holder && <Badge name={name} mine={mine} />}
      <p className={css.holder}>{words}</p>
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
