import type { Page } from '../../page';

/** The contest. */
export const contestPages: Page[] = [
  {
    path: 'contest',
    feature: 'contest',
    html: 'page',
    source: 'src/features/contest/ContestScreen.tsx',
    load: () => import('./ContestScreen'),
  },
];
