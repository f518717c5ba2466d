import { useCallback, useEffect, useRef, useState } from 'react';
import type { Receipt } from '../../../api/types';
import { asCaller } from '../../../session/session';
import { ACCEPTED_TYPES, receiptProblem } from './receiptFile';
import { sendReceipt, UploadError } from './sendReceipt';

/** The file in hand and how far it has got. */
export interface Upload {
  file: File;
  /** Address of a picture to show, null for a document. */
  preview: string | null;
  phase: 'sending' | 'sent' | 'failed';
  /** Share sent, 0 to 1. */
  progress: number;
  failure: { code: string; text: string | null } | null;
  receipt: Receipt | null;
}

export interface ReceiptUpload {
  upload: Upload | null;
  choose(file: File): void;
  /** Sends the same file again. */
  again(): void;
  /** Takes the file off the page and calls its sending off. */
  remove(): void;
}

interface Options {
  /** The types that are taken. */
  accepted?: readonly string[];
  /** Makes of the chosen file what is sent. */
  prepare?: (file: File) => Promise<File>;
}

/** Sends files to `address`, one at a time; choosing another calls the first off. */
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
