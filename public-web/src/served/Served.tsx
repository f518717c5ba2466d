import { type ComponentProps, memo, useMemo } from 'react';
import { trusted } from '../trusted';

interface ServedProps extends Omit<ComponentProps<'div'>, 'children'> {
  as?: 'div' | 'tbody';
  /** The name of the block, by which it is found in the document. */
  name: string;
  html: string;
}

/** Markup that the server wrote. It escapes every text in it. */
export const Served = memo(function Served({ as = 'div', name, html, ...rest }: ServedProps) {
  const Tag = as as 'div';
  // React compares the object: another one would close what the visitor opened.
  const content = useMemo(() => ({ __html: trusted.createHTML(html) }), [html]);
  return (
    <Tag
      {...rest}
      data-block={name}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: written by the server.
      dangerouslySetInnerHTML={content}
      suppressHydrationWarning
    />
  );
});
