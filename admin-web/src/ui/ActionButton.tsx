import Button, { type ButtonProps } from '@mui/material/Button';
import { useState } from 'react';
import { type ActionOptions, useAction } from '../api/hooks.ts';
import { Refusal } from './States.tsx';

type Props<Data> = Omit<ActionOptions<void, Data>, 'onSettled'> &
  Omit<ButtonProps, 'onClick' | 'children'> & {
    label: string;
    /** What the button says before it acts: what cannot be undone is pressed twice. */
    sure?: string | false;
    /** Which thing is meant, for screen readers, where several such buttons stand together. */
    name?: string;
    /** When the second press is awaited, and when no longer. */
    onSure?: (sure: boolean) => void;
  };

/** A button that changes something at once, with the reason beneath it where the server refuses. */
export function ActionButton<Data>({ run, done, stale, onDone, label, sure, name, onSure, ...rest }: Props<Data>) {
  const [isSure, setSure] = useState(!sure);
  const arm = (armed: boolean) => {
    setSure(armed || !sure);
    if (sure) onSure?.(armed);
  };
  const action = useAction<Data>({ run, done, stale, onDone, onSettled: () => arm(false) });
  const text = sure && isSure ? sure : label;
  return (
    <>
      <Button
        color={sure && isSure ? 'error' : undefined}
        {...rest}
        disabled={rest.disabled || action.isPending}
        aria-label={name && `${text}: ${name}`}
        onBlur={() => arm(false)}
        onClick={() => (isSure ? action.mutate() : arm(true))}
      >
        {text}
      </Button>
      <Refusal error={action.error} />
    </>
  );
}
