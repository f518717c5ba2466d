import { useEffect, useRef, useState } from 'react';
import { serverNow } from '../api/serverClock';
import styles from './Countdown.module.css';
import { cx } from './cx';

interface CountdownProps {
  /** The end by the server's clock, RFC 3339. */
  until: string;
  /** The whole span in milliseconds; with it, a line shows the part left. */
  span?: number | undefined;
  onEnd?: (() => void) | undefined;
  className?: string | undefined;
}

/** Minutes and seconds left; hours appear only when there are any. */
export function writeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** A countdown by the server's time. */
export function Countdown({ until, span, onEnd, className }: CountdownProps) {
  const end = Date.parse(until);
  const [left, setLeft] = useState(() => end - serverNow());
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => {
    const tick = () => {
      const now = end - serverNow();
      setLeft(now);
      if (now <= 0) {
        clearInterval(timer);
        ended.current?.();
      }
    };
    const timer = setInterval(tick, 1000);
    setLeft(end - serverNow());
    return () => clearInterval(timer);
  }, [end]);
  const part = span ? Math.min(1, Math.max(0, left / span)) : null;
  return (
    <span className={cx(styles.countdown, className)}>
      <time className="num" dateTime={`PT${Math.max(0, Math.ceil(left / 1000))}S`}>
        {writeLeft(left)}
      </time>
      {part === null ? null : (
        <span className={styles.line} aria-hidden="true">
          <span style={{ transform: `scaleX(${part})` }} />
        </span>
      )}
    </span>
  );
}
