import type { ContentPage, ContentText } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Field } from '../ui/Field.tsx';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Content.module.css';
import { History } from './History.tsx';
import { Preview } from './Preview.tsx';
import { PublishDialog } from './PublishDialog.tsx';

export type Locale = 'ru' | 'en';
export type Texts = Partial<Record<Locale, ContentText>>;

const LOCALES: Locale[] = ['ru', 'en'];
const same = (one: ContentText, two: ContentText) =>
  one.title === two.title && one.description === two.description && one.markdown === two.markdown;

/** One page: its text in both languages, how it will look, and what it was before. */
export function EditorScreen({ page }: { page: string }) {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...KEYS.content, page],
    queryFn: () => api.content(page),
  });
  return (
    <Page
      title={t(`content.names.${page}`, { _: page })}
      line={<Link to="/pages">{t('content.back')}</Link>}
      actions={
        <>
          <AuditLink kind="content" id={page} />
          <a href={`/${page}`} target="_blank" rel="noreferrer">
            {t('content.open')}
          </a>
        </>
      }
    >
      {isPending && <SkeletonRows rows={8} height={56} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <Editor page={page} newest={data} />}
    </Page>
  );
}

function Editor({ page, newest }: { page: string; newest: ContentPage }) {
  const { t, language } = useWords();
  const saved = useSaved();
  const { canAccess: mayChange = false } = useCanAccess({ resource: 'content', action: 'edit' });
  const [locale, setLocale] = useState<Locale>(language);
  const [drafts, setDrafts] = useState<Texts>({});
  // What is being written over stays what it was while there are drafts: the server says when a colleague was faster.
  const [over, setOver] = useState(newest);
  const [note, setNote] = useState('');
  const [publishing, setPublishing] = useState(false);
  const text = drafts[locale] ?? over[locale];
  const changed = LOCALES.filter((one) => drafts[one]);
  useLeavingIsAsked(changed.length > 0);
  if (changed.length === 0 && over !== newest) setOver(newest);

  const keep = (one: Locale, next: ContentText) =>
    setDrafts(({ [one]: _, ...rest }) => (same(next, over[one]) ? rest : { ...rest, [one]: next }));
  const restore = (old: ContentPage) => {
    for (const one of LOCALES) keep(one, old[one]);
    setNote(t('content.restoreNote', { version: old.version.version }));
    saved(t('content.restored', { version: old.version.version }));
  };
  return (
    <>
      <div className={css.bar}>
        <Segments
          label={t('content.language')}
          value={locale}
          options={LOCALES.map((value) => ({
            value,
            label: drafts[value] ? `${t(`content.${value}`)} · ${t('content.changed')}` : t(`content.${value}`),
          }))}
          onValue={(value) => setLocale(value as Locale)}
        />
        {mayChange ? (
          <div className={css.buttons}>
            <Button disabled={changed.length === 0} onClick={() => setDrafts({})}>
              {t('content.undo')}
            </Button>
            <Button variant="contained" disabled={changed.length === 0} onClick={() => setPublishing(true)}>
              {t('content.publish')}
            </Button>
          </div>
        ) : (
          <p className={css.muted}>{t('content.readOnly')}</p>
        )}
      </div>
      <div className={css.sides}>
        <section className={css.editor} aria-label={t(`content.${locale}`)} lang={locale}>
          <Field
            label={t('content.heading')}
            value={text.title}
            disabled={!mayChange}
            onValue={(title) => keep(locale, { ...text, title })}
            inputProps={{ maxLength: 120 }}
          />
          <Field
            label={t('content.description')}
            value={text.description}
            disabled={!mayChange}
            onValue={(description) => keep(locale, { ...text, description })}
            inputProps={{ maxLength: 300 }}
          />
          <Field
            label={t('content.text')}
            help={t('content.textHelp')}
            value={text.markdown}
            disabled={!mayChange}
            onValue={(markdown) => keep(locale, { ...text, markdown })}
            multiline
            minRows={24}
            maxRows={48}
            className={css.markdown}
          />
        </section>
        <Preview page={page} locale={locale} text={text} />
      </div>
      <History
        page={page}
        present={newest.version.version}
        locale={locale}
        onRestore={mayChange ? restore : undefined}
      />
      {publishing && (
        <PublishDialog
          page={page}
          over={over.version.version}
          drafts={drafts}
          note={note}
          onPublished={() => {
            setDrafts({});
            setNote('');
          }}
          onClose={() => setPublishing(false)}
        />
      )}
    </>
  );
}

/** A page that is left or loaded anew with something unpublished in it asks first. */
function useLeavingIsAsked(isChanged: boolean) {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
