import { usePart } from '../../../session/usePart';
import type { Note } from './QuoteNotice';

const loadNotice = async () => (await import('./QuoteNotice')).QuoteNotice;

/** A message about the amount or the rate. Its texts are loaded when first needed. */
export function QuoteNote({ note }: { note: Note | null }) {
  const QuoteNotice = usePart(note !== null, loadNotice, undefined, 'quote');
  return note && QuoteNotice ? <QuoteNotice note={note} /> : null;
}
