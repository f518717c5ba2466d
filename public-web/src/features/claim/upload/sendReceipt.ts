import type { Receipt } from '../../../api/types';

/** A receipt that did not get through. `text` is the server's own explanation, when it gave one. */
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
  /** The access token of a signed-in customer. */
  token: string | null;
  file: File;
  /** Told the share sent, 0 to 1. */
  onProgress(share: number): void;
  /** Calls the sending off: the customer removed the file or left the page. */
  signal: AbortSignal;
}

/**
 * Sends a receipt. XMLHttpRequest, because `fetch` cannot tell how much of a body has left,
 * and a photograph over a mobile line takes long enough for that to matter.
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

/** The server explains itself in a problem body; a proxy on the way may not. */
function problemOf(request: XMLHttpRequest): UploadError {
  if (request.status === 413) return new UploadError('tooLarge');
  try {
    const problem = JSON.parse(request.responseText) as { code?: string; detail?: string; title?: string };
    return new UploadError(problem.code ?? 'failed', problem.detail ?? problem.title ?? null);
  } catch {
    return new UploadError('failed');
  }
}
