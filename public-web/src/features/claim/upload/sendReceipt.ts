import type { Receipt } from '../../../api/types';

/** A failed upload. `text` is the server's explanation, when there is one. */
export class UploadError extends Error {
  override name = 'UploadError';
  readonly code: string;
  readonly text: string | null;

  constructor(code: string, text: string | null = null) {
    super(code);
    this.code = code;
    this.text = text;
  }
}

export interface SendReceipt {
  url: string;
  token: string | null;
  file: File;
  /** Called with the uploaded share, 0 to 1. */
  onProgress(share: number): void;
  /** Aborts the upload: the customer removed the file or left the page. */
  signal: AbortSignal;
}

/**
 * Uploads a receipt. XMLHttpRequest, because `fetch` does not report upload progress, and a photo takes long on a
 * mobile network.
 */
export function sendReceipt(
  { url, token, file, onProgress, signal }: SendReceipt,
  request = new XMLHttpRequest(),
): Promise<Receipt> {
  return new Promise((resolve, reject) => {
    const body = new FormData();
    body.append('file', file);
    request.open('POST', url);
    request.setRequestHeader('Accept', 'application/json');
    if (token !== null) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = () => {
      if (request.status === 201 || request.status === 200) resolve(JSON.parse(request.responseText) as Receipt);
      else reject(problemOf(request));
    };
    request.onerror = () => reject(new UploadError('network'));
    request.onabort = () => reject(new UploadError('aborted'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}

/** The server answers with a problem document; a proxy may not. */
function problemOf(request: XMLHttpRequest): UploadError {
  if (request.status === 413) return new UploadError('tooLarge');
  try {
    const problem = JSON.parse(request.responseText) as { code?: string; detail?: string; title?: string };
    return new UploadError(problem.code ?? 'failed', problem.detail ?? problem.title ?? null);
  } catch {
    return new UploadError('failed');
  }
}
