import { describe, expect, it } from 'vitest';
import { LARGEST_RECEIPT, receiptProblem, sniffType } from './receiptFile';
import { sendReceipt, type UploadError } from './sendReceipt';

const PDF = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a, 0x25, 0xe2, 0xe3]);

describe('a chosen receipt', () => {
  it('is detected by its content, not by its name', async () => {
    expect(sniffType(PDF)).toBe('application/pdf');
    expect(await receiptProblem(new File([PDF], 'check.jpg', { type: 'image/jpeg' }))).toBeNull();
    expect(await receiptProblem(new File(['<html></html>'], 'check.pdf', { type: 'application/pdf' }))).toBe(
      'wrongType',
    );
  });

  it('is refused before the upload when it is empty or too large', async () => {
    expect(await receiptProblem(new File([], 'check.pdf'))).toBe('empty');
    const heavy = { size: LARGEST_RECEIPT + 1 } as Blob;
    expect(await receiptProblem(heavy)).toBe('tooLarge');
  });
});

/** A fake of the browser's request, answered by the test. */
class FakeRequest {
  upload: { onprogress: ((event: ProgressEvent) => void) | null } = { onprogress: null };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  status = 0;
  responseText = '';
  sent: FormData | null = null;
  open(): void {}
  setRequestHeader(): void {}
  send(body: FormData): void {
    this.sent = body;
  }
  abort(): void {
    this.onabort?.();
  }
  progress(loaded: number, total: number): void {
    this.upload.onprogress?.({ lengthComputable: true, loaded, total } as ProgressEvent);
  }
  answer(status: number, body: string): void {
    this.status = status;
    this.responseText = body;
    this.onload?.();
  }
}

function begin() {
  const request = new FakeRequest();
  const shares: number[] = [];
  const leaving = new AbortController();
  const file = new File([PDF], 'perevod.pdf');
  const result = sendReceipt(
    { url: '/bill/', token: null, file, onProgress: (share) => shares.push(share), signal: leaving.signal },
    request as unknown as XMLHttpRequest,
  );
  return { request, shares, leaving, result };
}

const failure = (result: Promise<unknown>) => result.then(() => null).catch((error: unknown) => error as UploadError);

describe('uploading a receipt', () => {
  it('reports the progress and gives the stored receipt', async () => {
    const { request, shares, result } = begin();
    expect(request.sent?.get('file')).toMatchObject({ name: 'perevod.pdf' });
    request.progress(64, 100);
    request.progress(100, 100);
    request.answer(
      201,
      '{"id":"r1","name":"perevod.pdf","size":12,"type":"application/pdf","createdAt":"2026-11-21T14:20:00Z"}',
    );
    expect((await result).id).toBe('r1');
    expect(shares).toEqual([0.64, 1]);
  });

  it("shows the server's text when it refuses", async () => {
    const { request, result } = begin();
    request.answer(422, '{"code":"receipt_type","detail":"Такой файл не подойдёт"}');
    expect(await failure(result)).toMatchObject({ code: 'receipt_type', text: 'Такой файл не подойдёт' });
  });

  it('has its own text for a proxy that refuses a large body and for a network error', async () => {
    const large = begin();
    large.request.answer(413, '<html>');
    expect((await failure(large.result))?.code).toBe('tooLarge');
    const lost = begin();
    lost.request.onerror?.();
    expect((await failure(lost.result))?.code).toBe('network');
  });

  it('stops when the customer removes the file', async () => {
    const { leaving, result } = begin();
    leaving.abort();
    expect((await failure(result))?.code).toBe('aborted');
  });
});
