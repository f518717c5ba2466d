import { timeText } from '@agio/client/format';
import { type DragEvent, type RefObject, useId, useRef, useState } from 'react';
import type { Receipt } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { useFileSize } from '../model/useFormats';
import css from './ReceiptPicker.module.css';
import { ACCEPTED_TYPES } from './receiptFile';
import type { ReceiptUpload, Upload } from './useReceiptUpload';

interface Props {
  upload: ReceiptUpload;
  /** Receipts uploaded before. */
  sent: readonly Receipt[];
  title: string;
  hint: string;
  accepted?: readonly string[];
  /** Whether uploading is the main action. */
  main?: boolean;
  /** The button, which a message may lead to. */
  choose?: RefObject<HTMLButtonElement | null>;
}

/** A receipt is chosen or dropped, uploaded with progress, replaced or removed. */
export function ReceiptPicker({
  upload: { upload, choose: chooseFile, again, remove },
  sent,
  title,
  hint,
  accepted,
  main = false,
  choose,
}: Props) {
  const t = useT('claim');
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const [over, setOver] = useState(false);
  const earlier = sent.filter((receipt) => receipt.id !== upload?.receipt?.id);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file) chooseFile(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const hasAny = upload !== null || earlier.length > 0;
  return (
    <fieldset
      className={css.drop}
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <legend className="vh">{title}</legend>
      {earlier.map((receipt) => (
        <SentReceipt key={receipt.id} receipt={receipt} title={title} />
      ))}
      {upload !== null && <Sending upload={upload} again={again} remove={remove} />}
      <div className={css.choose} data-small={hasAny}>
        {!hasAny && <Thumb preview={null} />}
        <span className={css.text} id={hintId}>
          {!hasAny && <b className={css.title}>{title}</b>}
          <span className={css.hint}>{over ? t('receipt.drop') : hint}</span>
        </span>
        <button
          ref={choose}
          type="button"
          className={css.button}
          data-main={main && !hasAny}
          aria-describedby={hintId}
          onClick={() => input.current?.click()}
        >
          {t(chooseKey(upload, earlier.length))}
        </button>
      </div>
      <input
        ref={input}
        className="vh"
        type="file"
        accept={(accepted ?? ACCEPTED_TYPES).join(',')}
        tabIndex={-1}
        aria-label={title}
        onChange={(event) => {
          take(event.target.files);
          // Choosing the same file again must count.
          event.target.value = '';
        }}
      />
    </fieldset>
  );
}

function chooseKey(upload: Upload | null, earlier: number) {
  if (upload !== null) return upload.phase === 'sent' ? 'receipt.more' : 'receipt.replace';
  return earlier > 0 ? 'receipt.more' : 'receipt.choose';
}

function SentReceipt({ receipt, title }: { receipt: Receipt; title: string }) {
  const t = useT('claim');
  const size = useFileSize()(receipt.size);
  const time = timeText(receipt.createdAt);
  return (
    <div className={css.file}>
      <Thumb preview={null} />
      <span className={css.text}>
        <b className={css.title}>{receipt.name || title}</b>
        <span className={css.hint}>{t('receipt.sent', { size, time })}</span>
      </span>
      <Check />
    </div>
  );
}

function Sending({ upload, again, remove }: { upload: Upload } & Pick<ReceiptUpload, 'again' | 'remove'>) {
  const t = useT('claim');
  const size = useFileSize()(upload.file.size);
  const time = timeText(upload.receipt?.createdAt ?? Date.now());
  const percent = Math.round(upload.progress * 100);
  const { name } = upload.file;
  return (
    <div className={css.file}>
      <Thumb preview={upload.preview} label={t('receipt.preview', { name })} />
      <span className={css.text}>
        <b className={css.title}>{upload.phase === 'sending' ? t('receipt.title') : name}</b>
        {upload.phase === 'sending' && (
          <span className={css.hint}>{t('receipt.sending', { name, size, percent })}</span>
        )}
        {upload.phase === 'sending' && (
          <progress className={css.bar} max={100} value={percent} aria-label={t('receipt.progress')} />
        )}
        {upload.phase === 'sent' && <span className={css.hint}>{t('receipt.sent', { size, time })}</span>}
        {upload.failure !== null && (
          <span className={css.error} role="alert">
            {upload.failure.text ?? t(failureKey(upload.failure.code))}
          </span>
        )}
      </span>
      {upload.phase === 'sent' && <Check />}
      {upload.phase !== 'sent' && (
        <span className={css.actions}>
          {upload.phase === 'failed' && canRetry(upload) && (
            <button type="button" className="linkbtn" onClick={again}>
              {t('receipt.again')}
            </button>
          )}
          <button type="button" className="linkbtn" onClick={remove}>
            {t('receipt.remove')}
          </button>
        </span>
      )}
    </div>
  );
}

/** The same bytes will be refused again; a network error may be over. */
const canRetry = ({ failure }: Upload) => failure?.code === 'network' || failure?.code === 'failed';

function failureKey(code: string) {
  switch (code) {
    case 'empty':
    case 'tooLarge':
    case 'wrongType':
    case 'network':
      return `receipt.error.${code}` as const;
    default:
      return 'receipt.error.failed';
  }
}

function Thumb({ preview, label }: { preview: string | null; label?: string }) {
  // The server may read a picture that the browser cannot show.
  const [broken, setBroken] = useState<string | null>(null);
  return (
    <span className={css.thumb}>
      {preview === null || preview === broken ? (
        <svg className="ico" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M5 2.5h6l4 4v11H5zM11 2.5v4h4" />
        </svg>
      ) : (
        <img src={preview} alt={label ?? ''} onError={() => setBroken(preview)} />
      )}
    </span>
  );
}

function Check() {
  return (
    <svg className={`ico ${css.check}`} viewBox="0 0 20 20" aria-hidden="true">
      <path d="m4 10.5 4 4 8-9" />
    </svg>
  );
}
