import { useState } from 'react';
import { Navigate } from 'react-router';
import { rememberedClaim } from '../../../claimMemory';
import { usePaths } from '../../../i18n/usePaths';
import { ClaimScreen } from '../ClaimScreen';

/**
 * The claim in progress, remembered in this browser; without one the home page, with the dialog that finds claims by
 * email.
 */
export function Component() {
  const paths = usePaths();
  // A final claim is forgotten but stays on the page: its final page follows.
  const [id] = useState(rememberedClaim);
  return id === null ? (
    <Navigate to={`${paths.home()}#find`} replace />
  ) : (
    <ClaimScreen key={id} id={id} at="progress" />
  );
}
