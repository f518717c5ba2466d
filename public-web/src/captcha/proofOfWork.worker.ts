import type { CaptchaChallenge } from '../api/types';
import { solve } from './proofOfWork';

self.addEventListener('message', async ({ data }: MessageEvent<CaptchaChallenge>) => {
  self.postMessage(await solve(data));
});
