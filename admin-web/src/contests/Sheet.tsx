import type { Contest, ContestPrize } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { useNow } from '../ui/clock.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { Refusal } from '../ui/States.tsx';
import { Sum } from '../ui/Sum.tsx';
import css from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import own from './Contests.module.css';
import { DrawDialog } from './DrawDialog.tsx';
import { Entries } from './Entries.tsx';
import { PayDialog } from './PayDialog.tsx';

/** One contest: what was published of it, its prizes, and who takes part. */
export function Sheet({ contest, onEdit }: { contest: Contest; onEdit: () => void }) {
  const { t, language } = useWords();
  const now = useNow();
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'contests', action: 'edit' });
  const [drawing, setDrawing] = useState(false);
  const canDraw = contest.state === 'closed' && Date.parse(contest.publicAt) <= now;
  return (
    <Page
      title={contest.title[language]}
      line={
        <>
          <Link to="/contests">{t('contests.back')}</Link> · {t(`contests.states.${contest.state}`)}
        </>
      }
      actions={
        mayEdit && (
          <>
            {contest.state === 'planned' && <Button onClick={onEdit}>{t('contests.edit')}</Button>}
            {(contest.state === 'planned' || contest.state === 'running') && <CancelButton contest={contest} />}
            {contest.state === 'closed' && (
              <Button variant="contained" disabled={!canDraw} onClick={() => setDrawing(true)}>
                {t('contests.draw')}
              </Button>
            )}
          </>
        )
      }
    >
      {contest.state === 'closed' && !canDraw && (
        <p className={own.note}>{t('contests.drawLater', { at: momentText(contest.publicAt, language) })}</p>
      )}
      <Facts contest={contest} />
      <Prizes contest={contest} />
      <Entries id={contest.id} />
      {drawing && <DrawDialog contest={contest} onClose={() => setDrawing(false)} />}
    </Page>
  );
}

function CancelButton({ contest }: { contest: Contest }) {
  const { t } = useWords();
  const saved = useSaved();
  const [asked, setAsked] = useState(false);
  const cancel = useMutation({
    mutationFn: () => api.cancelContest(contest.id, contest.revision),
    onSuccess: () => saved(t('contests.cancelled'), [...KEYS.contests]),
  });
  return (
    <>
      <Button color="error" disabled={cancel.isPending} onClick={() => (asked ? cancel.mutate() : setAsked(true))}>
        {t(asked ? 'contests.cancelAsk' : 'contests.cancel')}
      </Button>
      <Refusal error={cancel.error} />
    </>
  );
}

function Facts({ contest }: { contest: Contest }) {
  const { t, language } = useWords();
  const moment = (at: string) => momentText(at, language);
  return (
    <>
      <dl className={own.facts}>
        <Fact name={t('contests.period')}>
          {moment(contest.startsAt)} – {moment(contest.endsAt)}
        </Fact>
        <Fact name={t('contests.taking')}>
          {t('contests.people', { smart_count: contest.people })},{' '}
          {t('contests.tickets', { smart_count: contest.tickets })}
        </Fact>
        <Fact name={t('contests.source')}>
          {contest.source[language]} ({moment(contest.publicAt)})
        </Fact>
        <Fact name={t('contests.commitment')}>
          <span>{contest.commitment}</span>
          <CopyButton value={contest.commitment} label={t('contests.commitment')} />
        </Fact>
        <Fact name={t('contests.list')}>{contest.entrantsSha256 ?? t('contests.listLater')}</Fact>
        {contest.publicValue && (
          <Fact name={t('contests.taken')}>
            <span>{contest.publicValue}</span>
            <span className={css.small}>{contest.publicReference}</span>
          </Fact>
        )}
      </dl>
      <p className={own.audit}>
        <AuditLink kind="contest" id={contest.id} />
      </p>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Prizes({ contest }: { contest: Contest }) {
  const { t } = useWords();
  const { canAccess: mayPay = false } = useCanAccess({ resource: 'prizes', action: 'edit' });
  const [paying, setPaying] = useState<ContestPrize | null>(null);
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('contests.prizes')}</h2>
      </div>
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <tbody>
            {contest.prizes.map((prize) => (
              <Prize
                key={prize.place}
                prize={prize}
                isDrawn={contest.drawnAt !== null}
                onPay={mayPay ? () => setPaying(prize) : null}
              />
            ))}
          </tbody>
        </table>
      </div>
      {paying && <PayDialog contest={contest} prize={paying} onClose={() => setPaying(null)} />}
    </section>
  );
}

function Prize({ prize, isDrawn, onPay }: { prize: ContestPrize; isDrawn: boolean; onPay: (() => void) | null }) {
  const { t, language } = useWords();
  const { winner } = prize;
  const paid =
    winner?.paidAt && t('contests.paidBy', { by: winner.paidBy ?? '', at: momentText(winner.paidAt, language) });
  return (
    <tr>
      <td>
        <strong className="figures">
          <Sum value={prize.amount} code={prize.code} />
        </strong>
        <span className={css.small}> {t('contests.prize', { place: prize.place })}</span>
      </td>
      <td className={css.full}>
        {winner ? `${winner.email}, № ${winner.entry}` : isDrawn && t('contests.nobody')}
        {winner?.note && <span className={css.small}> {winner.note}</span>}
      </td>
      <td className={winner && !paid ? css.bad : css.small}>{winner && (paid || t('contests.owed'))}</td>
      <td className={css.actions}>
        {winner && !paid && onPay && (
          <Button onClick={onPay} aria-label={`${t('contests.pay')}: ${prize.place}`}>
            {t('contests.pay')}
          </Button>
        )}
      </td>
    </tr>
  );
}
