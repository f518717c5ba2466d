import { useMemo } from 'react';
import { useWords } from '../ui/useWords.ts';
import { framed, paint } from './letter.ts';
import css from './Mail.module.css';

/** A letter as its reader sees it, in a frame in which nothing runs and nothing is loaded. */
export function LetterFrame({ html }: { html: string }) {
  const { t } = useWords();
  const content = useMemo(() => framed(html, document), [html]);
  return (
    <iframe
      className={css.frame}
      title={t('mail.letter')}
      // Scripts, forms and windows stay shut; the page may reach in, to give the elements their styles and the frame its height.
      sandbox="allow-same-origin"
      srcDoc={content}
      onLoad={(event) => paint(event.currentTarget)}
    />
  );
}
