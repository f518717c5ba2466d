import type { ComponentType } from 'react';
import type { LoaderFunction } from 'react-router';
import type { Feature } from './i18n/texts';

/** A page of the site: where it is, what draws it, which dictionary it speaks from. */
export interface Page {
  /** Without a language prefix and a leading slash; '' is home. */
  path: string;
  feature: Feature;
  /** Another dictionary it speaks from. */
  also?: Feature;
  /**
   * How the build delivers it: `page` is HTML of its own, `shell` the empty page that a script fills
   * (the address holds an id, or the content is the visitor's alone).
   */
  html: 'page' | 'shell';
  /** Kept from search engines. */
  hidden?: boolean;
  /**
   * The module `load` imports, from the package's root, or the name of the chunk it was put into: the build preloads it
   * where it writes HTML.
   */
  source?: string;
  load: () => Promise<{ Component: ComponentType; loader?: LoaderFunction }>;
}
