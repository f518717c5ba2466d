import type { ReactNode } from 'react';
import { Button } from '../components/Button';
import { useT } from '../i18n/texts';

interface SubmitButtonProps {
  busy: boolean;
  /** The id of the form, where the button is outside of it. */
  form?: string;
  look?: 'main' | 'plain';
  children: ReactNode;
}

/** Submits a form and keeps the focus meanwhile. */
export function SubmitButton({ busy, children, look = 'main', ...rest }: SubmitButtonProps) {
  const t = useT('account');
  return (
    <Button {...rest} type="submit" look={look} aria-disabled={busy || undefined}>
      {busy ? t('busy') : children}
    </Button>
  );
}
