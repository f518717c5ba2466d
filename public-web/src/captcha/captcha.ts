import { again } from '../again';
import type { CaptchaChallenge, CaptchaCheck } from '../api/types';
import type { Locale } from '../i18n/locale';
import { trusted } from '../trusted';
import type { Solution } from './proofOfWork';
import workerAddress from './proofOfWork.worker?worker&url';

/**
 * The token for `recaptcha`: computed here, or obtained by the visitor where the operator has a provider. Null where
 * none is required.
 */
export async function answerTo(locale: Locale, { challenge, provider, siteKey }: CaptchaCheck): Promise<string | null> {
  if (challenge) return workedOut(challenge);
  return provider && siteKey
    ? (await again(() => import('./providerCaptcha'))).solveByProvider(locale, provider, siteKey)
    : null;
}

/** Solves a challenge in a worker, so that the page stays responsive. */
async function workedOut(challenge: CaptchaChallenge): Promise<string> {
  const solution = await again(() => work(challenge));
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
