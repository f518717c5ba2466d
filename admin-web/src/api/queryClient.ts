import { QueryClient } from '@tanstack/react-query';
import { isProblem } from './problem.ts';

const ATTEMPTS = 2;
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one however often it is requested; a lost connection or a failing server is worth a retry.
      retry: (count, error) => count < ATTEMPTS && (!isProblem(error) || error.status === 0 || error.status >= 500),
      staleTime: 5_000,
    },
    // A change is sent now or not at all: one that waited for the network would be made after it was given up.
    mutations: { networkMode: 'always' },
  },
});
