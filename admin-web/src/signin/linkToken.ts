import { useState } from 'react';

/**
 * The secret of a mailed link. It is in the fragment, which no server receives, and leaves the address as soon as it is read:
 * neither the history nor a picture of the screen keeps it.
 */
export function useLinkToken(): string {
  const [token] = useState(() => {
    const found = new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';
    if (found) window.history.replaceState(window.history.state, '', window.location.pathname);
    return found;
  });
  return token;
}
