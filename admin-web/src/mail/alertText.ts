/** An alert begins with a line that says what it is about; the rest follows after an empty one. */
export function splitAlert(text: string): { head: string; rest: string } {
  const end = text.indexOf('\n');
  return end < 0 ? { head: text, rest: '' } : { head: text.slice(0, end), rest: text.slice(end).trim() };
}
