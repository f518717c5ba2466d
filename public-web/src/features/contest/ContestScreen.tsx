import { Information } from '../../content/Information';
import { ContestPage } from './ContestPage';

/** The contest and the operator's text about it. */
export function Component() {
  return <Information page="contest" above={<ContestPage />} />;
}
