import type { CaptchaChallenge, CaptchaCheck } from '../api/types';
import type { Locale } from '../i18n/locale';
import { trusted } from '../trusted';
import type { Solution } from './proofOfWork';
import workerAddress from './proofOfWork.worker?worker&url';

/**
 * The word for the payload's `recaptcha`: worked out here, or got by the visitor where the operator has named a provider. Nothing
 * where there is nothing to be done.
 */
export async function answerTo(locale: Locale, { challenge, provider, siteKey }: CaptchaCheck): Promise<string | null> {
  if (challenge) {
    return workedOut(challenge);
  }
  return provider && siteKey ? (await import('./askPerson')).askPerson(locale, provider, siteKey) : null;
}

/** Works a challenge out, beside the page, which stays quick. */
async function workedOut({ parameters, signature }: CaptchaChallenge): Promise<string> {
  const challenge = { parameters, ...(signature && { signature }) };
  const solution = await work(challenge);
  return btoa(JSON.stringify({ challenge, solution }));
}

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
