/** Instants in local time, as the browser’s field for dates and times writes them. */

const two = (number: number) => String(number).padStart(2, '0');

/** The zone of the browser: most owners work where they are. */
export const ownTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** An instant as a field for dates and times takes it. */
export function fieldText(at: Date): string {
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The instant of such a field, or null where it is incomplete. */
export function instantOf(text: string): string | null {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
