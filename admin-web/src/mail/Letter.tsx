import type { MailWhole } from '@agio/client/admin';
import CloseOutlined from '@mui/icons-material/CloseOutlined';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { momentText } from '../ui/format.ts';
import { Segments } from '../ui/Segments.tsx';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { LetterFrame } from './LetterFrame.tsx';
import css from './Mail.module.css';

/** One letter: how far it is, what stands in it, and sending it again where it died. */
export function Letter({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...KEYS.mail, 'letter', id],
    queryFn: () => api.mail(id),
  });
  return (
    <aside className={css.letter} aria-label={t('mail.letter')}>
      <header className={css.head}>
        <h2 className={css.title}>{data?.mail.subject ?? t('mail.letter')}</h2>
        <IconButton aria-label={t('action.close')} onClick={onClose}>
          <CloseOutlined fontSize="small" />
        </IconButton>
      </header>
      {isPending && <SkeletonRows rows={6} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <Opened letter={data} />}
    </aside>
  );
}

function Opened({ letter }: { letter: MailWhole }) {
  const { t, language } = useWords();
  const { mail } = letter;
  const [view, setView] = useState('html');
  return (
    <>
      <dl className={css.facts}>
        <dt>{t('mail.to')}</dt>
        <dd>{mail.to}</dd>
        <dt>{t('mail.written')}</dt>
        <dd>{momentText(mail.createdAt, language)}</dd>
        <dt>{t('mail.state')}</dt>
        <dd>
          {t(`mail.stateOf.${mail.state}`, { at: mail.settledAt ? momentText(mail.settledAt, language) : '' })}
          {mail.fault && <span className={css.fault}>{mail.fault}</span>}
        </dd>
      </dl>
      {mail.state === 'dead' && <Again id={mail.id} />}
      {letter.html === null || letter.text === null ? (
        <p className={css.private}>{t('mail.private')}</p>
      ) : (
        <>
          <Segments
            label={t('mail.form')}
            value={view}
            options={[
              { value: 'html', label: t('mail.html') },
              { value: 'text', label: t('mail.text') },
            ]}
            onValue={setView}
          />
          {view === 'html' ? <LetterFrame html={letter.html} /> : <pre className={css.text}>{letter.text}</pre>}
        </>
      )}
      <AuditLink kind="mail" id={mail.id} />
    </>
  );
}

function Again({ id }: { id: number }) {
  const { t } = useWords();
  const saved = useSaved();
  const { canAccess: may = false } = useCanAccess({ resource: 'mail', action: 'edit' });
  const resend = useMutation({
    mutationFn: () => api.resendMail(id),
    onSuccess: () => saved(t('mail.resent'), KEYS.mail, KEYS.dashboard),
  });
  if (!may) return null;
  return (
    <div>
      <Button variant="contained" disabled={resend.isPending} onClick={() => resend.mutate()}>
        {t('mail.resend')}
      </Button>
      <Refusal error={resend.error} />
    </div>
  );
}
