import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, useGet } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { AuditLink, Button, CopyButton, FormDialog, useTexts } from '../ui/index.ts';
import css from './Settings.module.css';

/** A key is published before it signs, so that everybody who checks signatures knows it by then. */
function stateOf({ endsAt, signsFrom }: Schema<'QuoteKeyView'>, now: number): 'former' | 'next' | 'signs' {
  if (endsAt !== null) return 'former';
  return Date.parse(signsFrom) > now ? 'next' : 'signs';
}

/** The keys that rates are signed with: the one that signs now, and former ones for as long as their quotes live. */
export function QuoteKeys({ mayEdit }: { mayEdit: boolean }) {
  const { t, dateTimeText } = useTexts();
  const now = useNow();
  const [rotating, setRotating] = useState(false);
  const { data } = useGet('/quote-keys');
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
                from: dateTimeText(key.signsFrom, now),
                until: key.endsAt === null ? '' : dateTimeText(key.endsAt, now),
              })}{' '}
              <AuditLink kind="quote_key" id={key.id} />
            </span>
          </li>
        ))}
      </ul>
      {mayEdit && (
        <div className={css.keyActions}>
          <Button variant="outlined" onClick={() => setRotating(true)}>
            {t('quoteKey.rotate')}
          </Button>
        </div>
      )}
      {rotating && (
        <FormDialog
          title={t('quoteKey.rotateTitle')}
          initial={{}}
          save={() => api.POST('/quote-keys/rotate')}
          submit={t('quoteKey.rotateDo')}
          done={t('quoteKey.rotated')}
          stale={['/quote-keys']}
          onClose={() => setRotating(false)}
        >
          {() => <p>{t('quoteKey.rotateText')}</p>}
        </FormDialog>
      )}
    </section>
  );
}
