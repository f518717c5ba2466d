import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, useList, useMayEdit } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import {
  ActionButton,
  AuditLink,
  Button,
  CopyButton,
  DataTable,
  Facts,
  Field,
  FormDialog,
  Page,
  Section,
  Sum,
  useTexts,
  useUnits,
} from '../ui/index.ts';
import css from '../ui/Table.module.css';
import own from './Contests.module.css';

type Contest = Schema<'ContestDetails'>;
type Prize = Contest['prizes'][number];

/** One contest: what was published of it, its prizes, and who takes part. */
export function ContestPage({ contest, onEdit }: { contest: Contest; onEdit: () => void }) {
  const { t, language, dateTimeText } = useTexts();
  const now = useNow();
  const mayEdit = useMayEdit('contests');
  const [drawing, setDrawing] = useState(false);
  const { id, state, revision, publicAt } = contest;
  const canDraw = state === 'closed' && Date.parse(publicAt) <= now;
  return (
    <Page
      title={contest.title[language]}
      line={
        <>
          <Link to="/contests">{t('action.back')}</Link> · {t(`contests.states.${state}`)}
        </>
      }
      actions={
        mayEdit && (
          <>
            {state === 'planned' && <Button onClick={onEdit}>{t('contests.edit')}</Button>}
            {(state === 'planned' || state === 'running') && (
              <ActionButton
                color="error"
                label={t('contests.cancel')}
                sure={t('contests.cancelAsk')}
                run={() => api.POST('/contests/{id}/cancel', { params: { path: { id } }, body: { revision } })}
                done={t('contests.cancelled')}
                stale={['/contests*']}
              />
            )}
            {state === 'closed' && (
              <Button variant="contained" disabled={!canDraw} onClick={() => setDrawing(true)}>
                {t('contests.draw')}
              </Button>
            )}
          </>
        )
      }
    >
      {state === 'closed' && !canDraw && (
        <p className={own.note}>{t('contests.drawLater', { at: dateTimeText(publicAt) })}</p>
      )}
      <ContestFacts contest={contest} />
      <Prizes contest={contest} />
      <Entries id={id} />
      {drawing && <DrawDialog contest={contest} onClose={() => setDrawing(false)} />}
    </Page>
  );
}

function ContestFacts({ contest }: { contest: Contest }) {
  const { t, language, dateTimeText } = useTexts();
  return (
    <>
      <Facts
        look="cards"
        facts={[
          [t('contests.period'), `${dateTimeText(contest.startsAt)} – ${dateTimeText(contest.endsAt)}`],
          [
            t('contests.taking'),
            `${t('contests.participants', { smart_count: contest.participants })}, ${t('contests.tickets', { smart_count: contest.tickets })}`,
          ],
          [t('contests.source'), `${contest.source[language]} (${dateTimeText(contest.publicAt)})`],
          [
            t('contests.commitment'),
            <>
              <span>{contest.commitment}</span>
              <CopyButton value={contest.commitment} label={t('contests.commitment')} />
            </>,
          ],
          [t('contests.list'), contest.entrantsSha256 ?? t('contests.listLater')],
          contest.publicValue !== null && [
            t('contests.taken'),
            <>
              <span>{contest.publicValue}</span>
              <span className={css.small}>{contest.publicReference}</span>
            </>,
          ],
        ]}
      />
      <p className={own.audit}>
        <AuditLink kind="contest" id={contest.id} />
      </p>
    </>
  );
}

function Prizes({ contest }: { contest: Contest }) {
  const { t, dateTimeText } = useTexts();
  const mayPay = useMayEdit('prizes');
  const [paying, setPaying] = useState<Prize | null>(null);
  const paid = ({ winner }: Prize) =>
    winner?.paidAt && t('state.byAt', { by: winner.paidBy ?? '', at: dateTimeText(winner.paidAt) });
  return (
    <Section title={t('contests.prizes')}>
      <DataTable
        list={contest.prizes}
        noHead
        rowKey={(prize) => prize.place}
        button={
          mayPay && {
            label: t('contests.pay'),
            name: (prize) => prize.place,
            isShown: (prize) => prize.winner !== null && !paid(prize),
            onClick: setPaying,
          }
        }
        columns={[
          {
            head: t('fields.amount'),
            cell: (prize) => (
              <>
                <strong className="figures">
                  <Sum value={prize.amount} code={prize.code} />
                </strong>
                <span className={css.small}> {t('contests.prize', { place: prize.place })}</span>
              </>
            ),
          },
          {
            head: t('things.customer'),
            look: ['full'],
            cell: ({ winner }) => (
              <>
                {winner ? `${winner.email}, № ${winner.entry}` : contest.drawnAt !== null && t('contests.nobody')}
                {winner?.note && <span className={css.small}> {winner.note}</span>}
              </>
            ),
          },
          {
            head: t('fields.state'),
            lookOf: (prize) => (prize.winner && !paid(prize) ? 'bad' : 'small'),
            cell: (prize) => prize.winner && (paid(prize) || t('contests.owed')),
          },
        ]}
      />
      {paying && <PayDialog contest={contest} prize={paying} onClose={() => setPaying(null)} />}
    </Section>
  );
}

/** Who takes part, by the numbers of their claims. */
function Entries({ id }: { id: string }) {
  const { t, dateTimeText } = useTexts();
  const list = useList('/contests/{id}/entries', { path: { id } });
  return (
    <Section title={t('contests.entries')}>
      <DataTable
        list={list}
        plain
        bones={{ rows: 4 }}
        empty={{ title: t('contests.noEntries') }}
        rowKey={(row) => row.claimId}
        isOff={(row) => row.voidedAt !== null}
        columns={[
          { head: t('things.claim'), cell: (row) => <Link to={`/claims/${row.claimId}`}>№ {row.number}</Link> },
          {
            head: t('things.customer'),
            cell: (row) => (
              <>
                {row.email}
                {row.voidedAt && (
                  <span className={css.small}> {t('contests.voided', { at: dateTimeText(row.voidedAt) })}</span>
                )}
              </>
            ),
          },
          { head: t('contests.ticketsHead'), look: ['right'], className: 'figures', cell: (row) => row.tickets },
          { head: t('contests.done'), look: ['small', 'wide'], cell: (row) => dateTimeText(row.createdAt) },
        ]}
      />
    </Section>
  );
}

/** The draw: the public randomness as its source shows it, and where; a second person checks it there. */
function DrawDialog({ contest, onClose }: { contest: Contest; onClose: () => void }) {
  const { t, language } = useTexts();
  const { id, revision } = contest;
  return (
    <FormDialog
      title={t('contests.drawTitle')}
      initial={{ value: '', reference: '' }}
      required={['value', 'reference']}
      save={(draft, once) =>
        api.POST('/contests/{id}/draw', { ...once, params: { path: { id } }, body: { revision, ...draft } })
      }
      submit={t('contests.propose')}
      done={t('contests.drawn')}
      stale={['/contests*', '/dashboard']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>{contest.source[language]}</p>
          <p>{t('contests.drawText')}</p>
          <Field label={t('contests.value')} autoComplete="off" autoFocus {...field('value')} />
          <Field label={t('contests.reference')} {...field('reference')} />
        </>
      )}
    </FormDialog>
  );
}

/** Notes that a prize was paid, and where to. */
function PayDialog({ contest, prize, onClose }: { contest: Contest; prize: Prize; onClose: () => void }) {
  const { t, amountText } = useTexts();
  const units = useUnits();
  const { place } = prize;
  const amount = `${amountText(prize.amount)} ${units.get(prize.code) ?? prize.code}`;
  return (
    <FormDialog
      title={t('contests.payTitle', { place, amount })}
      initial={{ note: '' }}
      required={['note']}
      save={({ note }, once) =>
        api.POST('/contests/{id}/prizes/{place}/pay', {
          ...once,
          params: { path: { id: contest.id, place } },
          body: { note: note.trim() },
        })
      }
      submit={t('contests.pay')}
      done={t('contests.paid')}
      stale={['/contests*', '/reserves']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>{prize.winner?.email}</p>
          <p>{t('contests.payText')}</p>
          <Field label={t('contests.note')} autoFocus {...field('note')} />
        </>
      )}
    </FormDialog>
  );
}
