import { BRAND } from '../brand';
import { trusted } from '../trusted';

interface BrandMarkupProps {
  part: 'contacts' | 'footer' | 'pages';
  as: 'ul' | 'div';
  className?: string | undefined;
}

/** A list of the owner's links, as the server writes it into the page. */
export function BrandMarkup({ part, as: Tag, className }: BrandMarkupProps) {
  return (
    <Tag
      className={className}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the server has escaped it.
      dangerouslySetInnerHTML={{ __html: trusted.createHTML(BRAND[part] ?? '') }}
    />
  );
}
