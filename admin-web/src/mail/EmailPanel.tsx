import type { Schema } from '@agio/client/admin';
import CloseOutlined from '@mui/icons-material/CloseOutlined';
import { useState } from 'react';
import { api, useGet, useMayEdit } from '../api/index.ts';
import { ActionButton, AuditLink, Facts, IconButton, Loaded, Segments, useTexts } from '../ui/index.ts';
import table from '../ui/Table.module.css';
import { EmailFrame } from './EmailFrame.tsx';
import css from './Mail.module.css';
import { nameOf } from './state.ts';

type Props = { id: number; isLocal: boolean; onClose: () => void };

/** One email: its delivery, its text, and a button that sends it again where it failed. */
export function EmailPanel({ id, isLocal, onClose }: Props) {
  const { t } = useTexts();
  const answer = useGet('/mail/{id}', { path: { id } });
  return (
    <aside className={css.email} aria-label={t('things.mail')}>
      <header className={css.head}>
        <h2 className={css.title}>{answer.data?.mail.subject ?? t('things.mail')}</h2>
        <IconButton aria-label={t('action.close')} onClick={onClose}>
          <CloseOutlined fontSize="small" />
        </IconButton>
      </header>
      <Loaded answer={answer} bones={{ rows: 6 }}>
        {(email) => <Email email={email} isLocal={isLocal} />}
      </Loaded>
    </aside>
  );
}

function Email({ email: { mail, html, text }, isLocal }: { email: Schema<'EmailDetails'>; isLocal: boolean }) {
  const { t, dateTimeText } = useTexts();
  const mayResend = useMayEdit('mail');
  const [view, setView] = useState<'html' | 'text'>('html');
  return (
    <>
      <Facts
        facts={[
          [t('mail.to'), mail.to],
          [t('mail.written'), dateTimeText(mail.createdAt)],
          [
            t('mail.state'),
            <>
              {t(`mail.stateOf.${nameOf(mail.state, isLocal)}`, {
                at: mail.settledAt ? dateTimeText(mail.settledAt) : '',
              })}
              {mail.fault && <span className={table.fault}>{mail.fault}</span>}
            </>,
          ],
        ]}
      />
      {mail.state === 'dead' && mayResend && (
        <div>
          <ActionButton
            variant="contained"
            label={t('action.resend')}
            run={() => api.POST('/mail/{id}/resend', { params: { path: { id: mail.id } } })}
            done={t('mail.resent')}
            stale={['/mail*', '/dashboard']}
          />
        </div>
      )}
      {html === null || text === null ? (
        <p className={css.private}>{t('mail.private')}</p>
      ) : (
        <>
          <Segments
            label={t('mail.form')}
            value={view}
            options={[
              { value: 'html', label: t('mail.html') },
              { value: 'text', label: t('fields.text') },
            ]}
            onValue={setView}
          />
          {view === 'html' ? <EmailFrame html={html} /> : <pre className={css.text}>{text}</pre>}
        </>
      )}
      <AuditLink kind="mail" id={mail.id} />
    </>
  );
}
