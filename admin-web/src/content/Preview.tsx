import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { api, messageOf } from '../api/index.ts';
import { useDebounced, useTexts } from '../ui/index.ts';
import css from './Content.module.css';
import type { ContentText, Locale } from './EditorScreen.tsx';

/** The text as the site will show it, from the same renderer. */
export function Preview({ page, locale, text }: { page: string | undefined; locale: Locale; text: ContentText }) {
  const { t } = useTexts();
  const debounced = useDebounced(text);
  const { data, error } = useQuery({
    queryKey: ['contentPreview', page ?? 'news', locale, debounced],
    queryFn: async ({ signal }) => {
      const init = { body: { locale, text: debounced }, signal };
      const call = page
        ? api.POST('/content/{page}/preview', { params: { path: { page } }, ...init })
        : api.POST('/news/preview', init);
      return (await call).data;
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  // The preview is for reading: its links would lead out of the console.
  const stay = (event: MouseEvent) => {
    if ((event.target as Element).closest('a')) event.preventDefault();
  };
  return (
    <section className={css.preview} aria-label={t('content.preview')}>
      <h2 className={css.small}>{t('content.preview')}</h2>
      {error && (
        <p className={css.error} role="alert">
          {messageOf(error, t)}
        </p>
      )}
      {data && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: it only keeps links from being followed.
        // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps links from being followed.
        <div className={css.shown} lang={locale} onClick={stay}>
          <p className={css.shownTitle}>{data.title}</p>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server has cleaned it. */}
          <div dangerouslySetInnerHTML={{ __html: data.html }} />
        </div>
      )}
    </section>
  );
}
