import { NetworkError, readProblem } from '@agio/client/problem';
import { apiRoot } from '../../../api/client';
import type { Locale } from '../../../i18n/locale';
import { asCaller } from '../../../session/session';
import { periodOf } from './period';

/** Saves the history as CSV. It requires the token, so a plain link cannot open it. */
export async function saveHistory(locale: Locale, from: string, to: string): Promise<void> {
  const query = new URLSearchParams({ ...periodOf(from, to) });
  const table = await asCaller(async (token) => {
    const response = await fetch(`${apiRoot(locale)}/users/me/refferal/dw/csv/?${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    }).catch((error) => {
      throw new NetworkError('No answer', { cause: error });
    });
    if (!response.ok) throw await readProblem(response);
    return response.blob();
  });
  const address = URL.createObjectURL(table);
  const link = document.createElement('a');
  link.href = address;
  link.download = 'referral.csv';
  link.click();
  URL.revokeObjectURL(address);
}
