import type { Receipt } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/api.ts';
import { momentText, sizeText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Facts.module.css';

/** The file as an address of this page, for as long as it is shown. */
function useReceiptAddress(claimId: string, receiptId: string) {
  const { data, error } = useQuery({
    queryKey: ['receipt', claimId, receiptId],
    queryFn: () => api.receipt(claimId, receiptId),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return { address, error };
}

export function ReceiptCard({ claimId, receipt }: { claimId: string; receipt: Receipt }) {
  const { t, language } = useWords();
  const { address, error } = useReceiptAddress(claimId, receipt.id);
  const [open, setOpen] = useState(false);
  const image = receipt.type.startsWith('image/');
  return (
    <div className={css.receipt}>
      {image ? (
        <button type="button" className={css.preview} onClick={() => setOpen(true)} aria-label={t('receipt.open')}>
          {address && <img src={address} alt="" />}
        </button>
      ) : (
        <a className={css.preview} href={address ?? undefined} download={receipt.name}>
          PDF
        </a>
      )}
      <div className={css.file}>
        <span>{receipt.name}</span>
        <span>
          {momentText(receipt.createdAt, language)} · {sizeText(receipt.size, language)}
        </span>
        {receipt.repeatOf !== null && (
          <span className={css.repeat}>{t('receipt.repeat', { number: receipt.repeatOf })}</span>
        )}
        {error && <Refusal error={error} />}
        {address && (
          <a href={address} download={receipt.name}>
            {t('receipt.download')}
          </a>
        )}
      </div>
      {open && address && <LargeReceipt address={address} name={receipt.name} onClose={() => setOpen(false)} />}
    </div>
  );
}

function LargeReceipt({ address, name, onClose }: { address: string; name: string; onClose: () => void }) {
  const { t } = useWords();
  const [turns, setTurns] = useState(0);
  return (
    <Modal
      open
      onClose={onClose}
      title={name}
      actions={<Button onClick={() => setTurns(turns + 1)}>{t('receipt.rotate')}</Button>}
    >
      <img className={css.large} src={address} alt={t('receipt.alt')} style={{ rotate: `${turns * 90}deg` }} />
    </Modal>
  );
}
