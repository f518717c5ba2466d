import { storeOf } from '../store';

export interface Toast {
  id: number;
  text: string;
  /** A way to act on the message. */
  action?: { label: string; run: () => void };
  /** Stays until it is closed. */
  lasting: boolean;
}

/** The messages in the corner. */
export const toasts = storeOf<readonly Toast[]>([]);

/** What screen readers were told last. */
export const spoken = storeOf('');

let next = 1;

/** Shows a short message in the corner; screen readers hear it. Answers its id. */
export function toast(text: string, options: { action?: Toast['action']; lasting?: boolean } = {}): number {
  const id = next++;
  const one: Toast = { id, text, lasting: options.lasting ?? false, ...(options.action && { action: options.action }) };
  toasts.set([...toasts.get().filter((other) => other.text !== text), one]);
  return id;
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

/** Says something to screen readers alone. */
export function announce(text: string): void {
  // The same words twice in a row are heard twice only if they differ.
  spoken.set(spoken.get() === text ? `${text}\u00a0` : text);
}
