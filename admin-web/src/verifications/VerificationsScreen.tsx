import { useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { useList, useMayEdit } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { Button, DataTable, Page, Segments, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { RequestDialog } from './RequestDialog.tsx';
import { REFRESH_MS } from './refresh.ts';
import { VerificationPage } from './VerificationPage.tsx';

const TABS = ['sent', 'asked', 'closed'] as const;

/** Photos of cards and documents: open verifications and their results. */
export default function VerificationsScreen() {
  const { id } = useParams();
  return id ? <VerificationPage key={id} id={id} /> : <Queue />;
}

function Queue() {
  const { t, ageText } = useTexts();
  const navigate = useNavigate();
  const now = useNow();
  const [search, setSearch] = useSearchParams();
  const tab = TABS.find((one) => one === search.get('tab')) ?? 'sent';
  const list = useList('/verifications', { query: { tab }, refetchInterval: REFRESH_MS, keep: true });
  const mayVerify = useMayEdit('verifications');
  const [requesting, setRequesting] = useState(false);
  const counts = { sent: list.meta?.sent ?? 0, asked: list.meta?.asked ?? 0, closed: 0 };
  return (
    <Page
      title={t('screens.verifications')}
      line={t('verifications.line')}
      actions={mayVerify && <Button onClick={() => setRequesting(true)}>{t('verifications.askAccount')}</Button>}
    >
      <div className={css.chips}>
        <Segments
          label={t('verifications.list')}
          value={tab}
          options={TABS.map((one) => ({
            value: one,
            label: `${t(`verifications.tabs.${one}`)}${counts[one] > 0 ? ` ${counts[one]}` : ''}`,
          }))}
          onValue={(next) => setSearch({ tab: next })}
        />
      </div>
      <DataTable
        list={list}
        rowKey={(row) => row.id}
        bones={{ height: 42 }}
        empty={{ title: t(`verifications.empty.${tab}`), text: t('verifications.emptyText') }}
        onOpen={(row) => navigate(`/verifications/${row.id}`)}
        columns={[
          {
            head: t('fields.what'),
            opens: true,
            cell: (row) => (
              <>
                <strong>{t(`verifications.kinds.${row.kind}`)}</strong>
                {row.card && <span className={css.small}> {row.card}</span>}
              </>
            ),
          },
          {
            head: t('things.claim'),
            cell: (row) => (row.claim ? `№ ${row.claim.publicId}` : t('verifications.account')),
          },
          { head: t('things.customer'), cell: (row) => row.email },
          { head: t('fields.state'), cell: (row) => t(`verifications.states.${row.state}`) },
          {
            head: t('fields.changed'),
            look: ['small'],
            cell: (row) => ageText(now - Date.parse(row.updatedAt)),
          },
        ]}
      />
      {requesting && <RequestDialog onClose={() => setRequesting(false)} />}
    </Page>
  );
}
