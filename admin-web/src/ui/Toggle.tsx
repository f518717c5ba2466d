import Switch from '@mui/material/Switch';
import { useId } from 'react';
import css from './Table.module.css';

/** A switch with its label, which is part of the target. */
export function Toggle({
  label,
  value,
  onValue,
  disabled,
  hidden,
}: {
  label: string;
  value: boolean;
  onValue: (value: boolean) => void;
  disabled?: boolean;
  /** The label is for screen readers only. */
  hidden?: boolean;
}) {
  const id = useId();
  return (
    <span className={css.switchRow}>
      <label htmlFor={id} className={hidden ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <Switch id={id} checked={value} disabled={disabled} onChange={(_, checked) => onValue(checked)} />
    </span>
  );
}
