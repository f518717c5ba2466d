import { FinalPage } from './FinalPage';

/** The final page of a claim without an exchange. */
export function Component() {
  return <FinalPage at="fail" />;
}
