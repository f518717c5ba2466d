import { adminApi } from '@agio/client/admin';
import { language } from '../i18n/language.ts';
import { LiveStream } from './live.ts';
import { Session } from './session.ts';
import { Transport } from './transport.ts';

/** The one session, transport and stream of this page. */
export const session = new Session();
const transport = new Transport(session, language);
export const api = adminApi(transport.fetch);
export const live = new LiveStream(transport);
