interface Period {
  date_from?: string;
  date_to?: string;
}

/**
 * The chosen days as a half-open period in the time zone of the browser, in which the history shows its times: the API
 * takes a mere date for a day of UTC.
 */
export function periodOf(from: string, to: string): Period {
  return { ...(from && { date_from: midnight(from, 0) }), ...(to && { date_to: midnight(to, 1) }) };
}

function midnight(day: string, daysLater: number): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + daysLater);
  // Date fields take years of more than four digits, which neither this nor the API reads: the day is left to the API.
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999 ? day : at.toISOString();
}
