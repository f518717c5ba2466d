import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api } from '../api/index.ts';
import { PictureDialog, Refusal, useFileUrl, useTexts } from '../ui/index.ts';
import css from './Facts.module.css';

export function ReceiptCard({ claimId, receipt }: { claimId: string; receipt: Schema<'ReceiptView'> }) {
  const { t, dateTimeText, sizeText } = useTexts();
  const params = { path: { id: claimId, receipt: receipt.id } };
  const { url, error } = useFileUrl(`/claims/${claimId}/receipts/${receipt.id}`, () =>
    api.GET('/claims/{id}/receipts/{receipt}', { params, parseAs: 'blob' }),
  );
  const [open, setOpen] = useState(false);
  const image = receipt.type.startsWith('image/');
  return (
    <div className={css.receipt}>
      {image ? (
        <button type="button" className={css.preview} onClick={() => setOpen(true)} aria-label={t('receipt.open')}>
          {url && <img src={url} alt="" />}
        </button>
      ) : (
        <a className={css.preview} href={url ?? undefined} download={receipt.name}>
          PDF
        </a>
      )}
      <div className={css.file}>
        <span>{receipt.name}</span>
        <span>
          {dateTimeText(receipt.createdAt)} · {sizeText(receipt.size)}
        </span>
        {receipt.repeatOf !== null && (
          <span className={css.repeat}>{t('receipt.repeat', { number: receipt.repeatOf })}</span>
        )}
        {error && <Refusal error={error} />}
        {url && (
          <a href={url} download={receipt.name}>
            {t('receipt.download')}
          </a>
        )}
      </div>
      {open && url && (
        <PictureDialog url={url} name={receipt.name} alt={t('receipt.alt')} onClose={() => setOpen(false)} />
      )}
    </div>
  );
}
