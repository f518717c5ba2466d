import { useId } from 'react';
import { cx } from './cx';
import styles from './Micro.module.css';

/** Decorative microprint, hidden from reading, selection and search. */
export function Micro({ text, className }: { text: string; className?: string | undefined }) {
  const id = useId();
  const width = Math.max(24, Math.round(text.length * 3.9));
  return (
    <svg className={cx(styles.micro, className)} aria-hidden="true" focusable="false" height="6" width="100%">
      <defs>
        <pattern id={id} width={width} height="6" patternUnits="userSpaceOnUse">
          <text y="4.6" textLength={width - 3} lengthAdjust="spacing">
            {text}
          </text>
        </pattern>
      </defs>
      <rect width="100%" height="6" fill={`url(#${id})`} />
    </svg>
  );
}
