import { memo } from 'react';
import { cx } from '../components/cx';
import { trusted } from '../trusted';
import { type InfoPage, type PageText, TEXT_ID } from './pageText';
import styles from './Text.module.css';

interface TextProps {
  page: InfoPage;
  text: PageText;
  /** Without the list of its parts, where there is no room beside it. */
  narrow?: boolean;
}

/**
 * A text of the operator's. The server has cleaned it, and shows the same markup in the prerendered page, where it is left as it
 * is; while it stays the same nothing is drawn anew, so that a question that was opened stays open.
 */
export const Text = memo(function Text({ page, text, narrow = false }: TextProps) {
  return (
    <div
      id={narrow ? undefined : TEXT_ID}
      className={cx(styles.text, narrow && styles.narrow)}
      data-page={page}
      data-version={text.version}
      data-at={text.updatedAt}
      data-on={text.updatedOn}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the server has cleaned it.
      dangerouslySetInnerHTML={{ __html: trusted.createHTML(text.html) }}
      suppressHydrationWarning
    />
  );
});
