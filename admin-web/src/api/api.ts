import { adminClient } from '@agio/client/admin';
import { language } from '../i18n/language.ts';
import { Confirmation } from './confirmation.ts';
import { LiveStream } from './live.ts';
import { Session } from './session.ts';
import { Transport } from './transport.ts';

/** The session, confirmation, client and live stream of this page. */
export const session = new Session();
export const confirmation = new Confirmation();
const transport = new Transport(session, language, undefined, confirmation.request);
export const api = adminClient(transport.fetch);
export const live = new LiveStream(transport);
