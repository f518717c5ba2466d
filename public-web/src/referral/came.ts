import { call } from '../api/client';
import { localeOf } from '../i18n/locale';
import { rememberCode } from './memory';

const SEEN = 'agio.rid.seen';

/** The longest code the server takes. */
const CODE_MAX = 64;

/** Whether this link was told of today already; from now on it was. */
function wasTold(code: string, today: string): boolean {
  const mark = `${today} ${code}`;
  try {
    const told = localStorage.getItem(SEEN) === mark;
    localStorage.setItem(SEEN, mark);
    return told;
  } catch {
    return true;
  }
}

/** Somebody came by a referrer's link: the code is remembered, and the visit is told of once a day. */
export async function cameBy(location: Pick<Location, 'pathname' | 'search'>, now = new Date()): Promise<void> {
  const code = new URLSearchParams(location.search).get('rid')?.trim();
  if (!code || code.length > CODE_MAX || wasTold(code, now.toISOString().slice(0, 10))) {
    return;
  }
  // Whoever moves on before the answer is there has come by the link all the same.
  rememberCode(code, 1, now.getTime());
  try {
    const { days } = await call(localeOf(location.pathname), 'POST /referral/visits/', { body: { code }, quiet: true });
    rememberCode(code, days, now.getTime());
  } catch (error) {
    // The next visit tells of itself; meanwhile the code goes with what is sent from this browser.
    console.error(error);
  }
}
