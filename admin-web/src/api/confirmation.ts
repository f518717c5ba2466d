/**
 * The question who is there, asked once however many calls wait for the answer. A call that needs it stands still
 * meanwhile; the dialog answers.
 */
export class Confirmation {
  private waiting: { promise: Promise<boolean>; settle: (confirmed: boolean) => void } | null = null;
  private readonly listeners = new Set<() => void>();

  /** Whether the person at the console confirmed that it is they. */
  readonly ask = (): Promise<boolean> => {
    if (!this.waiting) {
      let settle: (confirmed: boolean) => void = () => undefined;
      const promise = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      this.waiting = { promise, settle };
      this.tell();
    }
    return this.waiting.promise;
  };

  readonly answer = (confirmed: boolean): void => {
    const { waiting } = this;
    this.waiting = null;
    this.tell();
    waiting?.settle(confirmed);
  };

  readonly isAsked = (): boolean => this.waiting !== null;

  readonly listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
