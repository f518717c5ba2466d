import ArrowForward from '@mui/icons-material/ArrowForward';
import CloseOutlined from '@mui/icons-material/CloseOutlined';
import KeyboardArrowDown from '@mui/icons-material/KeyboardArrowDown';
import KeyboardArrowUp from '@mui/icons-material/KeyboardArrowUp';
import { useNow } from '../ui/clock.ts';
import { Amount, CopyButton, Fuse, IconButton, Rosette, Track, useTexts } from '../ui/index.ts';
import { PartnerLine } from './PartnerLine.tsx';
import css from './Ticket.module.css';
import type { Claim, ClaimSide, ClaimState } from './types.ts';

/** The states in which a surplus is returned, after the exchange. */
const SURPLUS_STATUS: Partial<Record<ClaimState, string>> = {
  refund_pending: 'surplus.pending',
  refund_sent: 'surplus.sent',
};

/** The head of a claim, as a ticket: number, amounts, state, clock, and the perforation under it. */
export function Ticket({
  claim,
  onClose,
  onStep,
}: {
  claim: Claim;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { t, dateTimeText, ageText } = useTexts();
  const now = useNow();
  const surplusStatus = claim.surplus !== null && SURPLUS_STATUS[claim.status];
  const isWaiting = claim.status === 'refund_pending' && claim.returned?.isMissing === true;
  const created = dateTimeText(claim.createdAt, now);
  const age = now - Date.parse(claim.createdAt);
  return (
    <header className={css.ticket}>
      <Rosette className={css.rosette} />
      <div className={css.line}>
        <h1 className={css.number}>№&nbsp;{claim.publicId}</h1>
        <CopyButton value={String(claim.publicId)} label={t('claims.number')} />
        <span className={css.created}>
          {t(age < 60_000 ? 'claim.createdNow' : 'claim.created', { created, age: ageText(age) })}
        </span>
        <IconButton aria-label={t('keys.previous')} title="K" onClick={() => onStep(-1)}>
          <KeyboardArrowUp fontSize="small" />
        </IconButton>
        <IconButton aria-label={t('keys.next')} title="J" onClick={() => onStep(1)}>
          <KeyboardArrowDown fontSize="small" />
        </IconButton>
        <IconButton aria-label={t('keys.close')} title="Esc" onClick={onClose}>
          <CloseOutlined fontSize="small" />
        </IconButton>
      </div>
      <div className={css.sums}>
        <Sum side={claim.from} label={t('fields.gives')} />
        <ArrowForward className={css.arrow} aria-hidden="true" />
        <Sum side={claim.to} label={t('fields.receives')} />
      </div>
      <div className={css.state}>
        <div className={css.words}>
          <p className={claim.turn === 'trouble' ? css.trouble : css.status}>
            {t(isWaiting ? 'returned.waiting' : surplusStatus || `statusFull.${claim.status}`)}
          </p>
          <Track step={claim.step} turn={claim.turn} wide />
        </div>
        {claim.turn !== 'done' && (
          <div className={css.clock}>
            <span className={css.due}>{t('claim.due', { time: dateTimeText(claim.dueAt, now) })}</span>
            <Fuse dueAt={claim.dueAt} since={claim.updatedAt} large />
          </div>
        )}
      </div>
      <PartnerLine claim={claim} />
      {claim.reason && (
        <p className={css.reason}>
          {claim.reason.text}
          {claim.answerBy && ` ${t('claim.answerBy', { time: dateTimeText(claim.answerBy, now) })}`}
        </p>
      )}
      <span className={css.perforation} aria-hidden="true" />
    </header>
  );
}

function Sum({ side, label }: { side: ClaimSide; label: string }) {
  return (
    <p className={css.sum}>
      <span className="visually-hidden">{label}: </span>
      <span className={css.figure}>
        <Amount value={side.amount} />
      </span>
      <span className={css.currency}>
        {side.ticker} {side.network !== side.ticker && side.network}
      </span>
    </p>
  );
}
