import { useMemo } from 'react';
import { useTexts } from '../ui/index.ts';
import { framed, paint } from './isolation.ts';
import css from './Mail.module.css';

/** An email as its reader sees it, in a frame in which nothing runs and nothing is loaded. */
export function EmailFrame({ html }: { html: string }) {
  const { t } = useTexts();
  const content = useMemo(() => framed(html, document), [html]);
  return (
    <iframe
      className={css.frame}
      title={t('things.mail')}
      // Scripts, forms and windows stay shut; the page may reach in, to give the elements their styles and the frame its height.
      sandbox="allow-same-origin"
      srcDoc={content}
      onLoad={(event) => paint(event.currentTarget)}
    />
  );
}
