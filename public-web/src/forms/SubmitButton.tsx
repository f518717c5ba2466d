import type { ReactNode } from 'react';
import { Button } from '../components/Button';
import { useT } from '../i18n/texts';

interface SubmitButtonProps {
  busy: boolean;
  /** The form it sends, where it stands outside of it. */
  form?: string;
  look?: 'main' | 'plain';
  children: ReactNode;
}

/** Sends a form. It keeps the focus while the form is on its way. */
export function SubmitButton({ busy, children, look = 'main', ...rest }: SubmitButtonProps) {
  const t = useT('account');
  return (
    <Button {...rest} type="submit" look={look} aria-disabled={busy || undefined}>
      {busy ? t('busy') : children}
    </Button>
  );
}
