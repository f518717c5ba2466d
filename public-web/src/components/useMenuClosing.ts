import { useEffect, useRef } from 'react';

/**
 * Closes a menu when something in it is chosen, or the visitor goes back. It is not the next page that closes it: until
 * that comes, the menu may have been opened again.
 */
export function useMenuClosing(menu: { readonly current: HTMLElement | null }, close: () => void): void {
  const run = useRef(close);
  run.current = close;
  useEffect(() => {
    const { current } = menu;
    const end = () => run.current();
    current?.addEventListener('click', end);
    window.addEventListener('popstate', end);
    return () => {
      current?.removeEventListener('click', end);
      window.removeEventListener('popstate', end);
    };
  }, [menu]);
}
