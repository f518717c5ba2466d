import type { Schema } from '@agio/client/admin';

type State = Schema<'EmailSummary'>['state'];

/** What to call a state. Without a mail server, what was "sent" has only been kept. */
export const nameOf = (state: State, isLocal: boolean): State | 'kept' =>
  state === 'sent' && isLocal ? 'kept' : state;
