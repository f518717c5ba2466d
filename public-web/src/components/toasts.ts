export interface Toast {
  id: number;
  text: string;
  /** A way to act on the message. */
  action?: { label: string; run: () => void };
  /** Stays until it is closed. */
  lasting: boolean;
}

type Listener = () => void;

let toasts: readonly Toast[] = [];
let spoken = '';
let next = 1;
const listeners = new Set<Listener>();

function changed(): void {
  for (const listener of listeners) {
    listener();
  }
}

/** Shows a short message in the corner; screen readers hear it. Answers its id. */
export function toast(text: string, options: { action?: Toast['action']; lasting?: boolean } = {}): number {
  const id = next++;
  const one: Toast = { id, text, lasting: options.lasting ?? false, ...(options.action && { action: options.action }) };
  toasts = [...toasts.filter((other) => other.text !== text), one];
  changed();
  return id;
}

export function dismiss(id: number): void {
  toasts = toasts.filter((one) => one.id !== id);
  changed();
}

/** Says something to screen readers alone. */
export function announce(text: string): void {
  // The same words twice in a row are heard twice only if they differ.
  spoken = spoken === text ? `${text}\u00a0` : text;
  changed();
}

export const toastStore = {
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  toasts: () => toasts,
  spoken: () => spoken,
};

export const NO_TOASTS: readonly Toast[] = [];
