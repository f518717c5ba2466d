import { ApiError } from '../api/errors';
import { withCaptcha } from './withCaptcha';

vi.mock('./captcha', () => ({
  answerTo: async (_: string, { challenge }: { challenge: { signature: string } }) =>
    `answer to ${challenge.signature}`,
}));

const WANTED = new ApiError(
  {
    status: 429,
    title: '',
    detail: '',
    code: 'too_many_attempts',
    errors: { recaptcha: [{ code: 'captcha_required', message: '' }] },
  },
  4,
);

/** A server that gives the first, the second challenge, and so on. */
function serve(required: boolean) {
  let given = 0;
  vi.stubGlobal('fetch', async () => {
    given += 1;
    return Response.json({ required, challenge: { parameters: {}, signature: `challenge ${given}` } });
  });
}

afterEach(() => vi.unstubAllGlobals());

it('works nothing out where nothing is asked', async () => {
  serve(false);
  expect(await withCaptcha('ru', 'login', async (answer) => answer)).toEqual({});
});

it('brings the answer where everybody is asked', async () => {
  serve(true);
  expect(await withCaptcha('ru', 'signup', async (answer) => answer)).toEqual({ recaptcha: 'answer to challenge 1' });
});

it('brings another answer when the call is refused for the want of one', async () => {
  serve(false);
  const refusals = [WANTED];
  const made = await withCaptcha('ru', 'login', async (answer) => {
    const refusal = refusals.pop();
    if (refusal) throw refusal;
    return answer;
  });
  expect(made).toEqual({ recaptcha: 'answer to challenge 2' });
});

it('gives up when the answer does not help', async () => {
  serve(true);
  await expect(withCaptcha('ru', 'login', () => Promise.reject(WANTED))).rejects.toBe(WANTED);
});
