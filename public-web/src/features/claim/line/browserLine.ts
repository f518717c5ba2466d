import type { ClaimStatus } from '../../../api/types';
import type { ClaimCalls } from '../claimCalls';
import type { StatusTransport, Timers } from './statusStream';

/** Server-sent events, and a plain request when they fail. */
export function browserTransport(calls: ClaimCalls): StatusTransport {
  return {
    ask: () => calls.status(),
    open: ({ onStatus, onDrop }) => {
      const events = new EventSource(calls.eventsAddress);
      events.addEventListener('status', (event: MessageEvent<string>) =>
        onStatus(JSON.parse(event.data) as ClaimStatus),
      );
      // The browser would reconnect silently at its own pace; the page shows it and polls meanwhile.
      events.addEventListener('error', () => {
        events.close();
        onDrop();
      });
      return () => events.close();
    },
  };
}

export const browserTimers: Timers = {
  now: () => Date.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};
