import type { CaptchaChallenge } from '../api/types';
import { trusted } from '../trusted';
import type { Solution } from './proofOfWork';
import workerAddress from './proofOfWork.worker?worker&url';

/** Works a challenge out, beside the page, which stays quick; gives the word for the payload's `recaptcha`. */
export async function answerTo({ parameters, signature }: CaptchaChallenge): Promise<string> {
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
