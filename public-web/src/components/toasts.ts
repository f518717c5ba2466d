import { storeOf } from '../store';

export interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
  lasting: boolean;
}

export const toasts = storeOf<readonly Toast[]>([]);

/** The last announcement to screen readers. */
export const spoken = storeOf('');

let next = 1;

/** Shows a short message and announces it to screen readers; gives its id. */
export function toast(text: string, options: { action?: Toast['action']; lasting?: boolean } = {}): number {
  const id = next++;
  const one: Toast = { id, text, lasting: options.lasting ?? false, ...(options.action && { action: options.action }) };
  toasts.set([...toasts.get().filter((other) => other.text !== text), one]);
  return id;
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

/** Announces a text to screen readers only. */
export function announce(text: string): void {
  // The same text twice in a row is announced twice only if it differs.
  spoken.set(spoken.get() === text ? `${text}\u00a0` : text);
}
