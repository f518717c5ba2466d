import { adminApi } from '@agio/client/admin';
import { language } from '../i18n/language.ts';
import { LiveStream } from './live.ts';
import { Session } from './session.ts';
import { Transport } from './transport.ts';

/** The one session, transport and stream of this page. */
export const session = new Session();
const transport = new Transport(session, language);
export const api = adminApi(transport.send);
export const live = new LiveStream(transport);

/** The file of a receipt: it stands behind the bearer, so a plain link could not open it. */
export const receiptFile = (claimId: string, receiptId: string): Promise<Blob> =>
  transport.file(`/claims/${encodeURIComponent(claimId)}/receipts/${encodeURIComponent(receiptId)}`);
