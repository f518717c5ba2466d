/** Functions to call when something changes. */
export class Listeners<Args extends unknown[] = []> {
  private readonly all = new Set<(...args: Args) => void>();

  readonly add = (listener: (...args: Args) => void): (() => void) => {
    this.all.add(listener);
    return () => this.all.delete(listener);
  };

  call(...args: Args): void {
    for (const listener of this.all) listener(...args);
  }
}
