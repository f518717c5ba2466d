import { Information } from '../../content/Information';
import { ContestPage } from './ContestPage';

/** The page of the contest: what is going on, and what the operator says of it. */
export function Component() {
  return <Information page="contest" above={<ContestPage />} />;
}
