import { useSearchParams } from 'react-router';
import { ClaimScreen } from '../ClaimScreen';
import { finalGuard } from './guards';

/** The final page of a completed claim. */
export function ClaimSuccessPage() {
  const [query] = useSearchParams();
  const id = query.get('id') ?? '';
  return <ClaimScreen key={id} id={id} at="success" />;
}

export { ClaimSuccessPage as Component, finalGuard as loader };
