import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useNotify } from 'react-admin';
import { Link } from 'react-router';
import { useGet, useMayEdit } from '../api/index.ts';
import { AuditLink, Button, Loaded, Page, useLeaveWarning, useTexts } from '../ui/index.ts';
import { useKept } from '../ui/useKept.ts';
import { History } from './History.tsx';
import { PublishDialog } from './PublishDialog.tsx';
import { LOCALES, sameText, TextEditor } from './TextEditor.tsx';

export type ContentPage = Schema<'ContentVersionDetails'>;
export type ContentText = Schema<'ContentMarkdown'>;
export type Locale = Schema<'PreviewContentRequest'>['locale'];
export type Texts = Partial<Record<Locale, ContentText>>;

/** One page: its text in both languages, a preview and its history. */
export function EditorScreen({ page }: { page: string }) {
  const { t } = useTexts();
  const content = useGet('/content/{page}', { path: { page } });
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
      <Loaded answer={content} bones={{ rows: 8, height: 56 }}>
        {(data) => <Editor page={page} newest={data} />}
      </Loaded>
    </Page>
  );
}

function Editor({ page, newest }: { page: string; newest: ContentPage }) {
  const { t, language } = useTexts();
  const notify = useNotify();
  const mayChange = useMayEdit('content');
  const [locale, setLocale] = useState<Locale>(language);
  const [drafts, setDrafts] = useKept<Texts>(`pages/${page}`, {});
  // The version that is edited stays while there are drafts: the server refuses if it was replaced meanwhile.
  const [over, setOver] = useKept(`pages/${page}/over`, newest);
  const [note, setNote] = useState('');
  const [publishing, setPublishing] = useState(false);
  const text = drafts[locale] ?? over[locale];
  const changed = LOCALES.filter((one) => drafts[one]);
  useLeaveWarning(changed.length > 0);
  if (changed.length === 0 && over !== newest) setOver(newest);

  const setDraft = (one: Locale, next: ContentText) =>
    setDrafts(({ [one]: _, ...rest }) => (sameText(next, over[one]) ? rest : { ...rest, [one]: next }));
  const restore = (old: ContentPage) => {
    for (const one of LOCALES) setDraft(one, old[one]);
    setNote(t('content.restoreNote', { version: old.version.version }));
    notify(t('content.restored', { version: old.version.version }), { type: 'info' });
  };
  return (
    <>
      <TextEditor
        page={page}
        locale={locale}
        onLocale={setLocale}
        text={text}
        onText={(next) => setDraft(locale, next)}
        changed={changed}
        actions={
          <>
            <Button disabled={changed.length === 0} onClick={() => setDrafts({})}>
              {t('content.undo')}
            </Button>
            <Button variant="contained" disabled={changed.length === 0} onClick={() => setPublishing(true)}>
              {t('content.publish')}
            </Button>
          </>
        }
      />
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
