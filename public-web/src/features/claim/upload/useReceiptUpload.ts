import { useCallback, useEffect, useRef, useState } from 'react';
import type { Receipt } from '../../../api/types';
import { asCaller } from '../../../session/session';
import { ACCEPTED_TYPES, receiptProblem } from './receiptFile';
import { sendReceipt, UploadError } from './sendReceipt';

export interface Upload {
  file: File;
  /** The address of a preview, null for a document. */
  preview: string | null;
  phase: 'sending' | 'sent' | 'failed';
  /** The uploaded share, 0 to 1. */
  progress: number;
  failure: { code: string; text: string | null } | null;
  receipt: Receipt | null;
}

export interface ReceiptUpload {
  upload: Upload | null;
  choose(file: File): void;
  again(): void;
  /** Removes the file and aborts its upload. */
  remove(): void;
}

interface Options {
  /** The accepted types. */
  accepted?: readonly string[];
  /** Converts the chosen file before the upload. */
  prepare?: (file: File) => Promise<File>;
}

/** Uploads files to `address`, one at a time; choosing another aborts the first. */
export function useReceiptUpload(
  address: string,
  onSent: () => void,
  { accepted = ACCEPTED_TYPES, prepare }: Options = {},
): ReceiptUpload {
  const [upload, setUpload] = useState<Upload | null>(null);
  const sending = useRef<AbortController | null>(null);
  const preview = upload?.preview ?? null;

  useEffect(() => () => sending.current?.abort(), []);
  useEffect(() => {
    if (preview === null) return;
    return () => URL.revokeObjectURL(preview);
  }, [preview]);

  const send = useCallback(
    async (begun: Upload) => {
      sending.current?.abort();
      const leaving = new AbortController();
      sending.current = leaving;
      const change = (changes: Partial<Upload>) => {
        if (!leaving.signal.aborted) setUpload({ ...begun, ...changes });
      };
      change({ phase: 'sending', progress: 0, failure: null });
      const file = prepare ? await prepare(begun.file) : begun.file;
      const problem = await receiptProblem(file, accepted);
      if (problem !== null) return change({ phase: 'failed', failure: { code: problem, text: null } });
      try {
        const receipt = await asCaller((token) =>
          sendReceipt({
            url: address,
            token,
            file,
            onProgress: (progress) => change({ phase: 'sending', progress }),
            signal: leaving.signal,
          }),
        );
        change({ phase: 'sent', progress: 1, receipt });
        onSent();
      } catch (error) {
        const { code, text } = error instanceof UploadError ? error : new UploadError('failed');
        change({ phase: 'failed', failure: { code, text } });
      }
    },
    [address, onSent, accepted, prepare],
  );

  const choose = useCallback(
    (file: File) => {
      const shown = file.type.startsWith('image/') ? URL.createObjectURL(file) : null;
      void send({ file, preview: shown, phase: 'sending', progress: 0, failure: null, receipt: null });
    },
    [send],
  );
  const again = useCallback(() => {
    if (upload !== null) void send(upload);
  }, [send, upload]);
  const remove = useCallback(() => {
    sending.current?.abort();
    setUpload(null);
  }, []);
  return { upload, choose, again, remove };
}
