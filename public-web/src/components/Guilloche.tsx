import { useEffect, useRef, useState } from 'react';
import { cx } from './cx';
import styles from './Guilloche.module.css';
import { band, rosette, type Strand, smallRosette } from './guilloche';
import { hueOf } from './hue';

interface Printed {
  code: string;
  icon?: string | undefined;
}

interface RosetteProps {
  from: Printed;
  to: Printed;
  small?: boolean;
  className?: string | undefined;
}

const NAMESPACE = 'http://www.w3.org/2000/svg';
const drawn = new Map<string, Strand[]>();

function strandsOf(from: string, to: string, small: boolean) {
  const key = `${from}>${to}${small ? ' small' : ''}`;
  const known = drawn.get(key);
  if (known) return known;
  const strands = small ? smallRosette(from, to) : rosette(from, to);
  drawn.set(key, strands);
  return strands;
}

/** After the first paint, so that decoration delays nothing. */
function whenIdle(run: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const handle = window.requestIdleCallback(run, { timeout: 1500 });
    return () => window.cancelIdleCallback(handle);
  }
  const timer = setTimeout(run, 200);
  return () => clearTimeout(timer);
}

function print(into: SVGSVGElement, strands: Strand[]): void {
  const paths = strands.map(({ ink, d }) => {
    const path = document.createElementNS(NAMESPACE, 'path');
    path.setAttribute('class', (ink === 'a' ? styles.inkA : styles.inkB) ?? '');
    path.setAttribute('d', d);
    return path;
  });
  into.replaceChildren(...paths);
}

/** The rosette of a pair, drawn after the first paint and reused for the pair. */
export function Rosette({ from, to, small = false, className }: RosetteProps) {
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const [ready, setReady] = useState(false);
  const [giveHue, receiveHue] = [hueOf(from), hueOf(to)];
  useEffect(() => {
    // Set by script: a style attribute in prerendered HTML would break the content security policy.
    box.current?.style.setProperty('--ha', String(giveHue));
    box.current?.style.setProperty('--hb', String(receiveHue));
  }, [giveHue, receiveHue]);
  useEffect(() => {
    return whenIdle(() => {
      if (svg.current) {
        print(svg.current, strandsOf(from.code, to.code, small));
        setReady(true);
      }
    });
  }, [from.code, to.code, small]);
  return (
    <div
      ref={box}
      className={cx(styles.print, small && styles.small, ready && styles.ready, className)}
      aria-hidden="true"
    >
      <svg ref={svg} viewBox="0 0 1000 1000" focusable="false" />
    </div>
  );
}

/** The band along an edge. */
export function Band({ className }: { className?: string | undefined }) {
  const svg = useRef<SVGSVGElement>(null);
  const [ready, setReady] = useState(false);
  useEffect(
    () =>
      whenIdle(() => {
        if (svg.current) {
          print(svg.current, band('AGIO', 1120, 40));
          setReady(true);
        }
      }),
    [],
  );
  return (
    <div className={cx(styles.print, ready && styles.ready, className)} aria-hidden="true">
      <svg ref={svg} viewBox="0 0 1120 40" preserveAspectRatio="xMidYMid slice" focusable="false" />
    </div>
  );
}
