import type { Page } from '../../page';

/** The pages of a claim. Their content is the visitor's alone, so the build delivers an empty page. */
export const claimPages: Page[] = [
  { path: 'claim', feature: 'claim', html: 'shell', load: () => import('./pages/ClaimPage') },
  { path: 'claim/success', feature: 'claim', html: 'shell', load: () => import('./pages/ClaimSuccessPage') },
  { path: 'claim/fail', feature: 'claim', html: 'shell', load: () => import('./pages/ClaimFailPage') },
  { path: 'verify/:id', feature: 'claim', html: 'shell', load: () => import('./verify/VerifyPage') },
  { path: 'claim/:id', feature: 'claim', html: 'shell', load: () => import('./pages/ClaimByIdPage') },
];
