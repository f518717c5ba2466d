/** What screens use of the server's API: the client, its hooks, and the errors it answers with. */
export { api, confirmation, live, session } from './api.ts';
export {
  type CallResult,
  type ListState,
  newOnce,
  type Once,
  type Row,
  useAction,
  useGet,
  useList,
  useMayEdit,
} from './hooks.ts';
export { fieldsOf, isProblem, messageOf, Problem } from './problem.ts';
export { useCurrencies, useDashboard, usePauseReasons } from './queries.ts';
export { markStale } from './stale.ts';
export { useConnection, useLiveAnswers } from './useLive.ts';
export { useSession, useSessionEnd } from './useSession.ts';
