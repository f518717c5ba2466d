import type { ContentText } from '@agio/client/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/problem.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Content.module.css';
import type { Locale } from './EditorScreen.tsx';

/** How long the typing must rest before the server is asked. */
const REST_MS = 400;

/** The text as the server will show it: the same words go through the same renderer. */
export function Preview({ page, locale, text }: { page: string; locale: Locale; text: ContentText }) {
  const { t } = useWords();
  const rested = useRested(text);
  const { data, error } = useQuery({
    queryKey: ['contentPreview', page, locale, rested],
    queryFn: ({ signal }) => api.previewContent(page, locale, rested, signal),
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

/** The text as it was when the typing last rested. */
function useRested(text: ContentText): ContentText {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
