import { useParams } from 'react-router';
import { ClaimScreen } from '../ClaimScreen';

/** A claim by its unguessable link, on any device. */
export function Component() {
  const { id = '' } = useParams();
  return <ClaimScreen key={id} id={id} at="progress" />;
}
