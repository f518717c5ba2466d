import type { ReactNode } from 'react';
import { CopyButton } from '../../../components/CopyButton';
import css from './rows.module.css';

interface RowProps {
  label: ReactNode;
  children: ReactNode;
  /** What stands at the end of the row: a button, a link, a mark. */
  end?: ReactNode;
}

/** A labelled value under a hairline. */
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
  /** What is copied. */
  value: string;
  /** What is shown of it, the same characters set otherwise. */
  shown?: ReactNode;
  /** What it is, for the button's name. */
  what: string;
  large?: boolean;
}

/** A value the customer takes along: exactly what is copied stands in sight. */
export function CopyRow({ label, value, shown, what, large = false }: CopyRowProps) {
  return (
    <Row label={label} end={<CopyButton className={css.button} value={value} what={what} />}>
      <span className={large ? css.large : css.value}>{shown ?? value}</span>
    </Row>
  );
}

/** An address or a hash in the face that tells l, I, 1 and O, 0 apart; its ends, which people compare, are set stronger. */
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
