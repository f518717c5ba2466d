import { useEffect, useState } from 'react';
import { useT } from '../i18n/texts';
import styles from './CopyButton.module.css';
import { cx } from './cx';
import { Icon } from './Icon';
import { announce } from './toasts';

interface CopyButtonProps {
  value: string;
  /** What is copied, for screen readers: "address", "amount". */
  what: string;
  className?: string | undefined;
}

/** Copies a value and confirms it for a moment. */
export function CopyButton({ value, what, className }: CopyButtonProps) {
  const t = useT('common');
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      announce(t('copied_what', { what }));
    } catch {
      announce(t('copy_failed'));
    }
  };
  return (
    <button
      type="button"
      className={cx(styles.copy, copied && styles.done, className)}
      onClick={copy}
      aria-label={t('copy_what', { what })}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      <span>{copied ? t('copied') : t('copy')}</span>
    </button>
  );
}
