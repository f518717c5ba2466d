import { memo } from 'react';
import { cx } from '../components/cx';
import { trusted } from '../trusted';
import { type InfoPage, type PageText, TEXT_ID } from './pageText';
import styles from './Text.module.css';

interface TextProps {
  page: InfoPage;
  text: PageText;
  /** Without the table of contents, where there is no space for it. */
  narrow?: boolean;
}

/**
 * A text of the operator, sanitized by the server, which writes the same markup into the prerendered page. An unchanged
 * text is not rendered again, so that an opened question stays open.
 */
export const Text = memo(function Text({ page, text, narrow = false }: TextProps) {
  return (
    <div
      id={narrow ? undefined : TEXT_ID}
      className={cx('questions', styles.text, narrow && styles.narrow)}
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
