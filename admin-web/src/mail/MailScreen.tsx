import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api, useList, useMayEdit } from '../api/index.ts';
import { ActionButton, DataTable, ErrorNote, Page, Segments, SkeletonRows, useTexts } from '../ui/index.ts';
import table from '../ui/Table.module.css';
import { pathOf } from '../ui/things.ts';
import { DeliveryTime } from './DeliveryTime.tsx';
import { EmailPanel } from './EmailPanel.tsx';
import css from './Mail.module.css';
import { StaffAlerts } from './StaffAlerts.tsx';
import { nameOf } from './state.ts';

const STATES = ['dead', 'queued', 'sent'] as const;
type State = (typeof STATES)[number];

const useMails = (state: State) => useList('/mail', { query: { state }, refetchInterval: 15_000 });

/** Emails that failed, wait or were sent; each can be read. */
export default function MailScreen() {
  const { t } = useTexts();
  const [params, setParams] = useSearchParams();
  const [chosen, setChosen] = useState<State | null>(null);
  const dead = useMails('dead');
  const { meta } = dead;
  // Failed emails come first; where there are none, those that wait, and else those that were sent.
  const state = chosen ?? (meta && meta.dead === 0 ? (meta.queued > 0 ? 'queued' : 'sent') : 'dead');
  const mayTest = useMayEdit('mail');
  const open = Number(params.get('id')) || null;
  const choose = (id: number | null) => setParams(id ? { id: String(id) } : {});
  const label = (value: State) => {
    const count = value !== 'sent' && meta?.[value];
    const name = t(`mail.states.${nameOf(value, meta?.local ?? false)}`);
    return count ? `${name} ${count}` : name;
  };
  return (
    <Page
      title={t('screens.mail')}
      line={meta && t(meta.local ? 'mail.local' : 'mail.line')}
      actions={
        <>
          {mayTest && state === 'queued' && meta !== undefined && meta.queued > 0 && (
            <ActionButton
              variant="outlined"
              label={t('mail.sendQueued')}
              run={() => api.POST('/mail/send-queued')}
              done={({ count }) => t('mail.hastened', { smart_count: count })}
              stale={['/mail*', '/dashboard']}
            />
          )}
          {mayTest && (
            <ActionButton
              variant="outlined"
              label={t('mail.test')}
              run={() => api.POST('/mail/test')}
              done={t('mail.tested')}
              stale={['/mail*', '/dashboard']}
              onDone={() => setChosen(meta?.local ? 'sent' : 'queued')}
            />
          )}
          <Segments
            label={t('mail.view')}
            value={state}
            options={STATES.map((value) => ({ value, label: label(value) }))}
            onValue={setChosen}
          />
        </>
      }
    >
      <StaffAlerts />
      {dead.isPending && <SkeletonRows height={46} />}
      {dead.error !== null && <ErrorNote error={dead.error} retry={() => void dead.refetch()} />}
      {meta && (
        <div className={`${table.columns} ${open ? css.withEmail : ''}`}>
          <Emails state={state} isLocal={meta.local} open={open} onOpen={choose} />
          {open && <EmailPanel id={open} isLocal={meta.local} onClose={() => choose(null)} />}
        </div>
      )}
    </Page>
  );
}

type EmailsProps = { state: State; isLocal: boolean; open: number | null; onOpen: (id: number) => void };

function Emails({ state, isLocal, open, onOpen }: EmailsProps) {
  const { t } = useTexts();
  const list = useMails(state);
  const name = nameOf(state, isLocal);
  return (
    <div>
      <DataTable
        list={list}
        bones={{ height: 46 }}
        empty={{ title: t(`mail.empty.${name}`), text: t(`mail.emptyText.${name}`) }}
        rowKey={(row) => row.id}
        onOpen={(row) => onOpen(row.id)}
        isOpen={(row) => row.id === open}
        columns={[
          { head: t('mail.to'), className: css.address, cell: (row) => row.to },
          {
            head: t('mail.subject'),
            look: ['full'],
            opens: true,
            cell: (row) => row.subject,
            note: (row) => row.fault,
          },
          {
            head: t('mail.about'),
            look: ['wide'],
            cell: (row) => {
              const path = pathOf(row.aboutKind, row.aboutId);
              return path && <Link to={path}>{t(`things.${row.aboutKind}`, { _: row.aboutKind })}</Link>;
            },
          },
          {
            head: t(`mail.when.${name}`),
            look: ['whole'],
            cell: (row) => (
              <DeliveryTime
                at={row.state === 'queued' ? row.nextAt : row.settledAt}
                attempts={row.state === 'sent' ? 0 : row.attempts}
              />
            ),
          },
        ]}
      />
    </div>
  );
}
