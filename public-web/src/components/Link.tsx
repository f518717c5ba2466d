import type { ComponentProps } from 'react';
import { useHref, useLinkClickHandler } from 'react-router';

export interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  to: string;
  /** Loads the page from the server, as an ordinary link does. */
  reloadDocument?: boolean | undefined;
}

/**
 * A link within the site. The router's own includes the prefetching of its server framework, more than a kilobyte of
 * the first load.
 */
export function Link({ to, reloadDocument = false, ...rest }: LinkProps) {
  const follow = useLinkClickHandler(to);
  return <a {...rest} href={useHref(to)} onClick={reloadDocument ? undefined : follow} />;
}
