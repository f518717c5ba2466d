import { call } from '../../../api/client';
import type { CaptchaChallenge } from '../../../api/types';
import type { Locale } from '../../../i18n/locale';
import { trusted } from '../../../trusted';
import type { Solution } from './proofOfWork';
import workerAddress from './proofOfWork.worker?worker&url';

/** The word for the payload's `recaptcha`, or null when none is asked for now. */
export async function captchaWord(locale: Locale): Promise<string | null> {
  const { required, challenge } = await call(locale, 'GET /claim/captchacheck', {});
  if (!required || challenge === null) {
    return null;
  }
  const solution = await work(challenge);
  const { parameters, signature } = challenge;
  return btoa(JSON.stringify({ challenge: { parameters, signature }, solution }));
}

/** Solves a challenge beside the page, which stays quick. */
function work(challenge: CaptchaChallenge): Promise<Solution> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(trusted.createScriptURL(workerAddress), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Solution>) => {
      worker.terminate();
      resolve(data);
    });
    worker.addEventListener('error', (event) => {
      worker.terminate();
      reject(new Error(event.message || 'The captcha worker failed'));
    });
    worker.postMessage(challenge);
  });
}
