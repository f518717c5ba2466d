/** Moments in the operator's own time, as the browser's field for dates and times writes them. */

const two = (number: number) => String(number).padStart(2, '0');

/** A moment as a field for dates and times takes it. */
export function fieldText(moment: Date): string {
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** The moment of such a field, or null where nothing whole is typed. */
export function momentOf(text: string): string | null {
  const moment = new Date(text);
  return text === '' || Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
