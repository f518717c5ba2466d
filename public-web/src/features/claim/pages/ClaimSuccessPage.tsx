import { FinalPage } from './FinalPage';

/** The final page of a completed claim. */
export function Component() {
  return <FinalPage at="success" />;
}
