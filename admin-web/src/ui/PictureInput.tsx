import Button from '@mui/material/Button';
import { useRef } from 'react';

type Props = {
  label: string;
  /** What the button says. */
  children: string;
  accept: string;
  disabled: boolean;
  onFile: (file: File) => void;
};

/** A button that takes a picture. */
export function PictureInput({ label, children, accept, disabled, onFile }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant="outlined" disabled={disabled} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        accept={accept}
        onChange={({ target }) => {
          const file = target.files?.[0];
          // The same file may be chosen again after a refusal.
          target.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}
