import { ApiError } from '@agio/client/problem';
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
    errors: { recaptcha: [{ code: 'captcha_required', message: '', params: {} }] },
  },
  4,
);

/** A server that gives these challenges in turn. */
function serve(required: boolean) {
  let given = 0;
  vi.stubGlobal('fetch', async () => {
    given += 1;
    return Response.json({ required, challenge: { parameters: {}, signature: `challenge ${given}` } });
  });
}

afterEach(() => vi.unstubAllGlobals());

it('solves nothing where no captcha is required', async () => {
  serve(false);
  expect(await withCaptcha('ru', 'login', async (answer) => answer)).toEqual({});
});

it('submits the solution where everybody needs one', async () => {
  serve(true);
  expect(await withCaptcha('ru', 'signup', async (answer) => answer)).toEqual({ recaptcha: 'answer to challenge 1' });
});

it('submits another solution when the call is refused without one', async () => {
  serve(false);
  const refusals = [WANTED];
  const created = await withCaptcha('ru', 'login', async (answer) => {
    const refusal = refusals.pop();
    if (refusal) throw refusal;
    return answer;
  });
  expect(created).toEqual({ recaptcha: 'answer to challenge 2' });
});

it('gives up when the solution does not help', async () => {
  serve(true);
  await expect(withCaptcha('ru', 'login', () => Promise.reject(WANTED))).rejects.toBe(WANTED);
});
