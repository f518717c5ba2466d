import { Listeners } from './listeners.ts';

/** The request to confirm a session, one however many calls wait for it. The dialog resolves it. */
export class Confirmation {
  private waiting: PromiseWithResolvers<boolean> | null = null;
  private readonly listeners = new Listeners();

  readonly listen = this.listeners.add;

  /** Whether the staff member confirmed. */
  readonly request = (): Promise<boolean> => {
    if (!this.waiting) {
      this.waiting = deferred();
      this.listeners.call();
    }
    return this.waiting.promise;
  };

  readonly resolve = (confirmed: boolean): void => {
    const { waiting } = this;
    this.waiting = null;
    this.listeners.call();
    waiting?.resolve(confirmed);
  };

  readonly isRequested = (): boolean => this.waiting !== null;
}

type PromiseWithResolvers<T> = { promise: Promise<T>; resolve: (value: T) => void };

function deferred(): PromiseWithResolvers<boolean> {
  let resolve: (value: boolean) => void = () => undefined;
  const promise = new Promise<boolean>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
