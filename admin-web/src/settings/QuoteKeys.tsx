import type { QuoteKey } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { useNow } from '../ui/clock.ts';
import { momentText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Settings.module.css';

/** A key is published before it signs, so that whoever checks signatures knows it by then. */
function stateOf({ endsAt, signsFrom }: QuoteKey, now: number): 'former' | 'next' | 'signs' {
  if (endsAt !== null) return 'former';
  return Date.parse(signsFrom) > now ? 'next' : 'signs';
}

/** The keys that rates are signed with: the one that signs now, and former ones for as long as their quotes live. */
export function QuoteKeys({ mayEdit }: { mayEdit: boolean }) {
  const { t, language } = useWords();
  const now = useNow();
  const saved = useSaved();
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const { data } = useQuery({ queryKey: KEYS.quoteKeys, queryFn: api.quoteKeys });
  const rotate = useMutation({
    mutationFn: api.rotateQuoteKey,
    onSuccess: (keys) => {
      client.setQueryData(KEYS.quoteKeys, keys);
      saved(t('quoteKey.rotated'));
      setAsked(false);
    },
  });
  if (!data) return null;
  return (
    <section className={css.group} aria-labelledby="quote-keys">
      <h2 id="quote-keys" className={css.groupTitle}>
        {t('quoteKey.title')}
      </h2>
      <p className={css.help}>{t('quoteKey.help')}</p>
      <ul className={css.keys}>
        {data.map((key) => (
          <li key={key.id}>
            <span className={css.key}>
              <code>{key.publicKey}</code>
              <CopyButton value={key.publicKey} label={t('quoteKey.key')} />
            </span>
            <span className={css.help}>
              {t(`quoteKey.${stateOf(key, now)}`, {
                from: momentText(key.signsFrom, language, now),
                until: key.endsAt === null ? '' : momentText(key.endsAt, language, now),
              })}{' '}
              <AuditLink kind="quote_key" id={key.id} />
            </span>
          </li>
        ))}
      </ul>
      {mayEdit && (
        <div className={css.keyActions}>
          <Button variant="outlined" onClick={() => setAsked(true)}>
            {t('quoteKey.rotate')}
          </Button>
        </div>
      )}
      {asked && (
        <Modal
          open
          onClose={() => setAsked(false)}
          onSubmit={() => !rotate.isPending && rotate.mutate()}
          title={t('quoteKey.rotateTitle')}
          actions={
            <>
              <Button onClick={() => setAsked(false)}>{t('action.cancel')}</Button>
              <Button type="submit" variant="contained" disabled={rotate.isPending}>
                {t(rotate.isPending ? 'action.saving' : 'quoteKey.rotateDo')}
              </Button>
            </>
          }
        >
          <p>{t('quoteKey.rotateText')}</p>
          <Refusal error={rotate.error} />
        </Modal>
      )}
    </section>
  );
}
