import type { Customer, SignedIn } from '../api/account';
import { ApiError, NetworkError } from '../api/errors';
import { Keeper, type News } from './keeper';
import type { Session } from './session';

const ANNA: Customer = {
  id: '5b1f7a52-0c5f-4b59-9d0c-2f9c7a1c2f11',
  email: 'anna@example.com',
  activated: true,
  language: 'ru',
  createdAt: '2024-03-28T12:00:00Z',
  bonus: '0',
  totp: false,
  recoveryCodes: 0,
};

const refusal = (code: string) => new ApiError({ status: 401, title: '', detail: '', code }, null);

/** A browser with its cookies, the server behind it, and as many tabs as a test opens. */
class Browser {
  marker = true;
  now = 1_000_000;
  /** Whether the server still knows the session. */
  isLive = true;
  refreshes = 0;
  /** Tokens the server takes. */
  readonly good = new Set<string>();
  fault: Error | null = null;
  #tabs: { keeper: Keeper; seen: Session[] }[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  tab() {
    const seen: Session[] = [];
    const keeper: Keeper = new Keeper({
      refresh: () => this.#refresh(),
      logOut: async () => {
        this.isLive = false;
      },
      alone: (work) => {
        const mine = this.#turn.then(work);
        this.#turn = mine.catch(() => undefined);
        return mine;
      },
      tell: (news: News) => {
        for (const other of this.#tabs) {
          if (other.keeper !== keeper) other.keeper.hear(news);
        }
      },
      show: (session) => seen.push(session),
      hasMarker: () => this.marker,
      forgetMarker: () => {
        this.marker = false;
      },
      now: () => this.now,
    });
    this.#tabs.push({ keeper, seen });
    return { keeper, seen };
  }

  signedIn(): SignedIn {
    const accessToken = `token-${this.refreshes}`;
    this.good.clear();
    this.good.add(accessToken);
    return { accessToken, expiresIn: 600, user: ANNA };
  }

  /** A call only the customer may make. */
  readonly call = async (token: string | null): Promise<string> => {
    if (token === null || !this.good.has(token)) throw refusal('token_not_valid');
    return token;
  };

  async #refresh(): Promise<SignedIn> {
    this.refreshes += 1;
    await Promise.resolve();
    if (this.fault) throw this.fault;
    if (!this.isLive) throw refusal('token_not_valid');
    return this.signedIn();
  }
}

describe('a session', () => {
  it('is restored from the cookie once, however many calls begin the page', async () => {
    const browser = new Browser();
    const { keeper, seen } = browser.tab();
    const tokens = await Promise.all([keeper.token(), keeper.call(browser.call), keeper.call(browser.call)]);
    expect(tokens).toEqual(['token-1', 'token-1', 'token-1']);
    expect(browser.refreshes).toBe(1);
    expect(seen).toEqual([{ phase: 'customer', customer: ANNA }]);
  });

  it('asks nothing where there is none', async () => {
    const browser = new Browser();
    browser.marker = false;
    const { keeper } = browser.tab();
    const asGuest = vi.fn(async (token: string | null) => token);
    expect(await keeper.call(asGuest)).toBeNull();
    expect(browser.refreshes).toBe(0);
  });

  it('answers parallel refusals of a token by one refresh and one more try each', async () => {
    const browser = new Browser();
    const { keeper } = browser.tab();
    await keeper.token();
    browser.good.clear();
    const call = vi.fn(browser.call);
    expect(await Promise.all([keeper.call(call), keeper.call(call), keeper.call(call)])).toEqual(
      Array(3).fill('token-2'),
    );
    expect(browser.refreshes).toBe(2);
    expect(call).toHaveBeenCalledTimes(6);
  });

  it('does not refresh again for a call that was refused after the others had their new token', async () => {
    const browser = new Browser();
    const { keeper } = browser.tab();
    await keeper.token();
    let refuse: (error: Error) => void = () => undefined;
    const answers = [new Promise<string>((_, reject) => (refuse = reject)), Promise.resolve('late')];
    const slow = keeper.call(() => answers.shift() as Promise<string>);
    browser.good.clear();
    await keeper.call(browser.call);
    refuse(refusal('token_not_valid'));
    expect(await slow).toBe('late');
    expect(browser.refreshes).toBe(2);
  });

  it('tries once more and not again', async () => {
    const browser = new Browser();
    const { keeper } = browser.tab();
    const refused = vi.fn(async () => {
      throw refusal('token_not_valid');
    });
    await expect(keeper.call(refused)).rejects.toThrow(ApiError);
    expect(refused).toHaveBeenCalledTimes(2);
  });

  it('leaves other refusals alone', async () => {
    const browser = new Browser();
    const { keeper } = browser.tab();
    await expect(keeper.call(() => Promise.reject(refusal('wrong_credentials')))).rejects.toThrow(ApiError);
    expect(browser.refreshes).toBe(1);
  });

  it('gets a new token before the old one ends', async () => {
    const browser = new Browser();
    const { keeper } = browser.tab();
    await keeper.token();
    browser.now += 595_000;
    expect(await keeper.call(browser.call)).toBe('token-2');
  });

  it('that is over makes a guest, and the call goes on as a guest’s', async () => {
    const browser = new Browser();
    const { keeper, seen } = browser.tab();
    await keeper.token();
    browser.good.clear();
    browser.isLive = false;
    const open = vi.fn(async (token: string | null) => {
      if (token !== null) throw refusal('token_not_valid');
      return 'open';
    });
    expect(await keeper.call(open)).toBe('open');
    expect(seen.at(-1)).toEqual({ phase: 'guest', lost: true });
    expect(browser.marker).toBe(false);
  });

  it('is not given up because the server could not be reached', async () => {
    const browser = new Browser();
    const { keeper, seen } = browser.tab();
    browser.fault = new NetworkError('No answer');
    await expect(keeper.token()).rejects.toThrow(NetworkError);
    expect(seen).toEqual([]);
    expect(browser.marker).toBe(true);
    browser.fault = null;
    expect(await keeper.token()).toBe('token-2');
  });
});

describe('two tabs', () => {
  it('share one refresh', async () => {
    const browser = new Browser();
    const [first, second] = [browser.tab(), browser.tab()];
    await first.keeper.token();
    browser.good.clear();
    const tokens = await Promise.all([first.keeper.call(browser.call), second.keeper.call(browser.call)]);
    expect(tokens).toEqual(['token-2', 'token-2']);
    expect(browser.refreshes).toBe(2);
    expect(second.seen.at(-1)).toEqual({ phase: 'customer', customer: ANNA });
  });

  it('sign out together', async () => {
    const browser = new Browser();
    const [first, second] = [browser.tab(), browser.tab()];
    await first.keeper.token();
    await second.keeper.signOut();
    expect(first.seen.at(-1)).toEqual({ phase: 'guest', lost: false });
    expect(await first.keeper.token()).toBeNull();
    expect(browser.refreshes).toBe(1);
  });

  it('sign in together', async () => {
    const browser = new Browser();
    browser.marker = false;
    const [first, second] = [browser.tab(), browser.tab()];
    first.keeper.enter(browser.signedIn());
    expect(second.seen.at(-1)).toEqual({ phase: 'customer', customer: ANNA });
    expect(await second.keeper.call(browser.call)).toBe('token-0');
    expect(browser.refreshes).toBe(0);
  });
});
