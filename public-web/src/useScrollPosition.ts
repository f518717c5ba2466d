import { useEffect, useLayoutEffect, useRef } from 'react';
import { type Location, useLocation } from 'react-router';
import { readStored, writeStored } from './browserStorage';

const KEY = 'agio.scroll';

/** The state of a navigation that leaves the screen where it is. */
export interface ScrollState {
  keepsPosition?: boolean;
}

/** Every page loaded by its address has the same key. */
const placeOf = ({ key, pathname, search, hash }: Location) => (key === 'default' ? pathname + search + hash : key);

/** Shows a new page from its top or from the place that its address names, and a former one where it was left. */
export function useScrollPosition(): void {
  const location = useLocation();
  const place = placeOf(location);
  const current = useRef<string | null>(null);
  const positions = useRef<Record<string, number>>({});
  const { hash } = location;
  const keeps = (location.state as ScrollState | null)?.keepsPosition === true;
  useLayoutEffect(() => {
    if (current.current === place) return;
    const isFirst = current.current === null;
    current.current = place;
    if (isFirst) positions.current = (readStored('sessionStorage', KEY) ?? {}) as Record<string, number>;
    const left = positions.current[place];
    // The browser has shown the place of the first address by itself, unless nothing was there yet.
    if (isFirst && (left === undefined || window.scrollY > 0)) return;
    if (left !== undefined) window.scrollTo(0, left);
    else if (keeps) return;
    else if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
    else window.scrollTo(0, 0);
  }, [place, hash, keeps]);
  useEffect(() => {
    const note = () => {
      if (current.current !== null) positions.current[current.current] = window.scrollY;
    };
    const leave = () => {
      writeStored('sessionStorage', KEY, positions.current);
      window.history.scrollRestoration = 'auto';
    };
    // A former page is longer only once it is there again.
    window.history.scrollRestoration = 'manual';
    window.addEventListener('scroll', note, { passive: true });
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('scroll', note);
      window.removeEventListener('pagehide', leave);
    };
  }, []);
}
