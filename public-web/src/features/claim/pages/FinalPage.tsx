import { Navigate, useSearchParams } from 'react-router';
import { usePaths } from '../../../i18n/usePaths';
import { ClaimScreen } from '../ClaimScreen';

/** The final page of the claim that the address names. */
export function FinalPage({ at }: { at: 'success' | 'fail' }) {
  const paths = usePaths();
  const [query] = useSearchParams();
  const id = query.get('id');
  return id ? <ClaimScreen key={id} id={id} at={at} /> : <Navigate to={paths.home()} replace />;
}
