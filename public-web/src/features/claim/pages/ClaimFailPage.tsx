import { useSearchParams } from 'react-router';
import { ClaimScreen } from '../ClaimScreen';
import { finalGuard } from './guards';

/** The final page of a claim without an exchange. */
export function ClaimFailPage() {
  const [query] = useSearchParams();
  const id = query.get('id') ?? '';
  return <ClaimScreen key={id} id={id} at="fail" />;
}

export { ClaimFailPage as Component, finalGuard as loader };
