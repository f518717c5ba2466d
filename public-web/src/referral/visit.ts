import { call } from '../api/client';
import { localeOf } from '../i18n/locale';
import { rememberCode } from './memory';

const REPORTED = 'agio.rid.seen';

/** The longest code the server accepts. */
const CODE_MAX = 64;

/** Whether this link was reported today; marks it as reported. */
function wasReported(code: string, today: string): boolean {
  const mark = `${today} ${code}`;
  try {
    const reported = localStorage.getItem(REPORTED) === mark;
    localStorage.setItem(REPORTED, mark);
    return reported;
  } catch {
    return true;
  }
}

/** Remembers the code of a referral link and reports the visit once a day. */
export async function recordVisit(location: Pick<Location, 'pathname' | 'search'>, now = new Date()): Promise<void> {
  const code = new URLSearchParams(location.search).get('rid')?.trim();
  if (!code || code.length > CODE_MAX || wasReported(code, now.toISOString().slice(0, 10))) return;
  // A visitor who leaves before the answer counts as well.
  rememberCode(code, 1, now.getTime());
  try {
    const { days } = await call(localeOf(location.pathname), 'POST /referral/visits/', { body: { code }, quiet: true });
    rememberCode(code, days, now.getTime());
  } catch (error) {
    // The next visit is reported again; meanwhile the code is part of what this browser submits.
    console.error(error);
  }
}
