/** Pages of a claim that show payment details: the claim in progress, and a claim by its link. */
const WITH_REQUISITES = /^(?:\/en)?\/claim(?:\/(?!(?:success|fail)\/?$)|$)/;

/** Whether a page has a way to support in its corner, which is there beside payment details only if `onClaims`. */
export function isOffered(onClaims: boolean, pathname: string): boolean {
  return onClaims || !WITH_REQUISITES.test(pathname);
}
