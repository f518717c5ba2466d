import { useSearchParams } from 'react-router';
import { ClaimScreen } from '../ClaimScreen';
import { finalGuard } from './guards';

/** Where a completed claim leads. */
export function ClaimSuccessPage() {
  const [query] = useSearchParams();
  const id = query.get('id') ?? '';
  return <ClaimScreen key={id} id={id} at="success" />;
}

export { ClaimSuccessPage as Component, finalGuard as loader };
