import { useEffect, useRef } from 'react';
import { isTaken, keyName } from './keys.ts';

/** Runs the action of a pressed key; an action that answers false leaves the key to the browser. */
export function useKeys(actions: Record<string, () => unknown>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || (event.repeat && !['j', 'k'].includes(keyName(event) ?? ''))) return;
      const name = keyName(event);
      const action = name ? latest.current[name] : undefined;
      if (!name || !action || isTaken(name, event.target)) return;
      if (action() !== false) event.preventDefault();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
