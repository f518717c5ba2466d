import { usePart } from '../../../session/usePart';
import type { Note } from './QuoteWords';

const loadWords = async () => (await import('./QuoteWords')).QuoteWords;

/** What only some visitors are told of their amount and rate. The words are loaded when first needed. */
export function QuoteNote({ note }: { note: Note | null }) {
  const Words = usePart(note !== null, loadWords, undefined, 'quote');
  return note && Words ? <Words note={note} /> : null;
}
