import type { ReactNode } from 'react';
import { CopyButton } from '../../../components/CopyButton';
import css from './rows.module.css';

interface RowProps {
  label: ReactNode;
  children: ReactNode;
  /** The end of the row: a button, a link, a mark. */
  end?: ReactNode;
}

export function Row({ label, children, end }: RowProps) {
  return (
    <div className={css.row}>
      <div className={css.content}>
        <span className={css.label}>{label}</span>
        {children}
      </div>
      {end}
    </div>
  );
}

interface CopyRowProps {
  label: ReactNode;
  value: string;
  /** The same characters with markup. */
  shown?: ReactNode;
  /** The name of the value, for the button's label. */
  what: string;
  large?: boolean;
}

/** A value to copy: exactly what is shown. */
export function CopyRow({ label, value, shown, what, large = false }: CopyRowProps) {
  return (
    <Row label={label} end={<CopyButton className={css.button} value={value} what={what} />}>
      <span className={large ? css.large : css.value}>{shown ?? value}</span>
    </Row>
  );
}

/** An address or a hash in a typeface that distinguishes l, I, 1 and O, 0; its ends, which people compare, are bold. */
export function Code({ children }: { children: string }) {
  const isLong = children.length > 20;
  return (
    <code className={css.code}>
      {isLong ? (
        <>
          <b>{children.slice(0, 6)}</b>
          {children.slice(6, -6)}
          <b>{children.slice(-6)}</b>
        </>
      ) : (
        children
      )}
    </code>
  );
}
