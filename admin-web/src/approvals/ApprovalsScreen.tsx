import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, useList } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { ActionButton, Button, List, Page, Segments, useTexts } from '../ui/index.ts';
import { pathOf } from '../ui/things.ts';
import { ApprovalFacts } from './ApprovalFacts.tsx';
import css from './Approvals.module.css';
import { type Decision, DecisionDialog } from './DecisionDialog.tsx';

const VIEWS = ['waiting', 'decided'] as const;

/** What one member of staff requests and another decides. */
export default function ApprovalsScreen() {
  const { t } = useTexts();
  const [view, setView] = useState<(typeof VIEWS)[number]>('waiting');
  const list = useList('/approvals', { query: { decided: view === 'decided' } });
  const waiting = list.meta?.waiting;
  return (
    <Page
      title={t('screens.approvals')}
      line={waiting === undefined ? undefined : t('approvals.line', { smart_count: waiting })}
      actions={
        <Segments
          label={t('approvals.view')}
          value={view}
          options={VIEWS.map((value) => ({ value, label: t(`approvals.views.${value}`) }))}
          onValue={setView}
        />
      }
    >
      <List
        list={list}
        bones={{ rows: 4, height: 120 }}
        empty={{ title: t(`approvals.empty.${view}`), text: t(`approvals.emptyText.${view}`) }}
      >
        {(rows) => (
          <ul className={css.list}>
            {rows.map((approval) => (
              <li key={approval.id}>
                <Approval approval={approval} />
              </li>
            ))}
          </ul>
        )}
      </List>
    </Page>
  );
}

function Approval({ approval }: { approval: Schema<'ApprovalRequestView'> }) {
  const { t, dateTimeText } = useTexts();
  const now = useNow();
  const [decision, setDecision] = useState<Decision | null>(null);
  const path = pathOf(approval.aboutKind, approval.aboutId);
  const waits = approval.state === 'waiting';
  const moment = (at: string) => dateTimeText(at, now);
  return (
    <article className={css.approval} aria-label={approval.title}>
      <header className={css.head}>
        <h2 className={css.title}>{approval.title}</h2>
        {!waits && <span className={css[approval.state]}>{t(`approvals.states.${approval.state}`)}</span>}
        {path && (
          <Link className={css.thing} to={path}>
            {t(`things.${approval.aboutKind}`)}
          </Link>
        )}
      </header>
      <ApprovalFacts approval={approval} />
      <p className={css.note}>
        {t('approvals.proposed', { name: approval.proposedBy.name, at: moment(approval.proposedAt) })}
        {waits && ` ${t('approvals.until', { at: moment(approval.expiresAt) })}`}
        {approval.decidedBy &&
          approval.decidedAt &&
          ` ${t('approvals.decidedBy', { name: approval.decidedBy.name, at: moment(approval.decidedAt) })}`}
      </p>
      {approval.reason && <p className={css.reason}>{approval.reason}</p>}
      {waits && (
        <footer className={css.actions}>
          {approval.mayDecide && (
            <>
              <Button variant="contained" size="large" onClick={() => setDecision('approve')}>
                {t('approvals.approve')}
              </Button>
              <Button variant="outlined" size="large" color="error" onClick={() => setDecision('refuse')}>
                {t('approvals.refuse')}
              </Button>
            </>
          )}
          {approval.mayWithdraw && (
            <ActionButton
              variant="outlined"
              size="large"
              label={t('action.withdraw')}
              run={() => api.POST('/approvals/{id}/withdraw', { params: { path: { id: approval.id } } })}
              done={t('approvals.withdrawn')}
              stale={['/approvals*', '/claims*', '/dashboard']}
            />
          )}
          {!approval.mayDecide && (
            <p className={css.note}>{t(approval.mayWithdraw ? 'approvals.own' : 'approvals.others')}</p>
          )}
        </footer>
      )}
      {decision && <DecisionDialog approval={approval} decision={decision} onClose={() => setDecision(null)} />}
    </article>
  );
}
