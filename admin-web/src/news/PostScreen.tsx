import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, fieldsOf, useAction, useGet } from '../api/index.ts';
import type { ContentText, Locale, Texts } from '../content/EditorScreen.tsx';
import { LOCALES, sameText, TextEditor } from '../content/TextEditor.tsx';
import { AuditLink, Button, Loaded, Page, Refusal, useLeaveWarning, useTexts } from '../ui/index.ts';
import { useKept } from '../ui/useKept.ts';

type Details = Schema<'NewsDetails'>;
type State = Details['post']['state'];

/** One post: its text in both languages and a preview; it is published and withdrawn here. */
export function PostScreen({ id }: { id: string }) {
  const { t, language } = useTexts();
  const post = useGet('/news/{id}', { path: { id } });
  const shown = post.data?.post;
  return (
    <Page
      title={shown?.title[language] ?? t('news.post')}
      line={
        <>
          <Link to="/news">{t('news.back')}</Link>
          {shown && ` · ${t(`news.states.${shown.state}`)}`}
        </>
      }
      actions={
        <>
          <AuditLink kind="news" id={id} />
          {shown?.state === 'published' && (
            <a href={`${language === 'en' ? '/en' : ''}/news/${shown.slug}`} target="_blank" rel="noreferrer">
              {t('content.open')}
            </a>
          )}
        </>
      }
    >
      <Loaded answer={post} bones={{ rows: 8, height: 56 }}>
        {(data) => <Editor id={id} newest={data} />}
      </Loaded>
    </Page>
  );
}

function Editor({ id, newest }: { id: string; newest: Details }) {
  const { t, language } = useTexts();
  const [locale, setLocale] = useState<Locale>(language);
  const [drafts, setDrafts] = useKept<Texts>(`news/${id}`, {});
  // The version that is edited stays while there are drafts: the server refuses if it was replaced meanwhile.
  const [over, setOver] = useKept(`news/${id}/over`, newest);
  const changed = LOCALES.filter((one) => drafts[one]);
  useLeaveWarning(changed.length > 0);
  if (changed.length === 0 && over !== newest) setOver(newest);
  const save = useAction({
    run: (state: State) =>
      api.PUT('/news/{id}', {
        params: { path: { id } },
        body: { over: over.post.version, state, ru: drafts.ru ?? over.ru, en: drafts.en ?? over.en },
      }),
    done: ({ post }) => t(`news.saved.${post.state}`),
    stale: ['/news*'],
    onDone: () => setDrafts({}),
  });
  const setText = (next: ContentText) =>
    setDrafts(({ [locale]: _, ...rest }) => (sameText(next, over[locale]) ? rest : { ...rest, [locale]: next }));
  const refusals = fieldsOf(save.error);
  const isPublished = over.post.state === 'published';
  return (
    <>
      <TextEditor
        locale={locale}
        onLocale={setLocale}
        text={drafts[locale] ?? over[locale]}
        onText={setText}
        changed={changed}
        error={(name) => refusals[`${locale}.${name}`]}
        actions={
          <>
            <Button disabled={changed.length === 0} onClick={() => setDrafts({})}>
              {t('content.undo')}
            </Button>
            {isPublished ? (
              <Button disabled={save.isPending} onClick={() => save.mutate('draft')}>
                {t('news.withdraw')}
              </Button>
            ) : (
              <Button disabled={changed.length === 0 || save.isPending} onClick={() => save.mutate('draft')}>
                {t('news.save')}
              </Button>
            )}
            <Button
              variant="contained"
              disabled={save.isPending || (isPublished && changed.length === 0)}
              onClick={() => save.mutate('published')}
            >
              {t(isPublished ? 'news.update' : 'action.publish')}
            </Button>
          </>
        }
      />
      <Refusal error={save.error} />
    </>
  );
}
