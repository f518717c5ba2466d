import type { ClaimStatus } from '../../../api/types';
import type { ClaimCalls } from '../claimCalls';
import type { StatusTransport, Timers } from './statusStream';

/** The live line of a browser: server-sent events, and a plain question when they fail. */
export function browserTransport(calls: ClaimCalls): StatusTransport {
  return {
    ask: () => calls.status(),
    open: ({ onStatus, onDrop }) => {
      const events = new EventSource(calls.eventsAddress);
      events.addEventListener('status', (event: MessageEvent<string>) =>
        onStatus(JSON.parse(event.data) as ClaimStatus),
      );
      // The browser would reconnect by itself, at its own pace and in silence; the page wants to say so and to ask meanwhile.
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
