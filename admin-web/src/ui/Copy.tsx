import CheckOutlined from '@mui/icons-material/CheckOutlined';
import ContentCopyOutlined from '@mui/icons-material/ContentCopyOutlined';
import IconButton from '@mui/material/IconButton';
import { useEffect, useState } from 'react';
import css from './Copy.module.css';
import { useTexts } from './useTexts.ts';

/** How long the tick stays. */
const SHOWN_MS = 1_600;

/** Copies a value as it is, without the spaces it is shown with. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const { t } = useTexts();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => navigator.clipboard.writeText(value).then(() => setCopied(true));
  return (
    <IconButton size="small" aria-label={t('copy.label', { what: label })} title={t('copy.title')} onClick={copy}>
      {copied ? <CheckOutlined className={css.done} fontSize="inherit" /> : <ContentCopyOutlined fontSize="inherit" />}
      <span className="visually-hidden" role="status">
        {copied ? t('copy.done') : ''}
      </span>
    </IconButton>
  );
}

/**
 * Cards and addresses in groups of four, so that they can be compared with another screen by eye; addresses in a face
 * that tells l, I, 1, O and 0 apart.
 */
export function Groups({ value, kind }: { value: string; kind?: string }) {
  const isGrouped = kind !== 'holder' && kind !== 'email';
  const isAddress = isGrouped && /^\S{24,}$/.test(value);
  const parts = isAddress || (isGrouped && /^\d{16,20}$/.test(value)) ? (value.match(/.{1,4}/g) ?? []) : [value];
  return (
    <span className={isAddress ? `${css.groups} ${css.address}` : css.groups}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups of one value never change places.
        <span key={index}>{part}</span>
      ))}
    </span>
  );
}
