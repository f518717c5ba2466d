import { useState } from 'react';
import { Navigate } from 'react-router';
import { rememberedClaim } from '../../../claimMemory';
import { usePaths } from '../../../i18n/usePaths';
import { ClaimScreen } from '../ClaimScreen';
import { claimGuard } from './guards';

/** The claim in progress, remembered in this browser. */
export function ClaimPage() {
  const paths = usePaths();
  // A final claim is forgotten but stays on the page: its final page follows.
  const [id] = useState(rememberedClaim);
  return id === null ? <Navigate to={paths.home()} replace /> : <ClaimScreen key={id} id={id} at="progress" />;
}

export { ClaimPage as Component, claimGuard as loader };
