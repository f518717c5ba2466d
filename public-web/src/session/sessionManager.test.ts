import { ApiError, NetworkError } from '@agio/client/problem';
import { SessionManager, type SessionMessage } from '@agio/client/session';
import type { Customer, SignInResponse } from '../api/types';
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

const refusal = (code: string) => new ApiError({ status: 401, code });

/** A browser with its cookies, the server behind it, and as many tabs as a test opens. */
class Browser {
  marker = true;
  now = 1_000_000;
  /** Whether the server still knows the session. */
  isLive = true;
  refreshes = 0;
  /** Tokens the server accepts. */
  readonly good = new Set<string>();
  fault: Error | null = null;
  #tabs: { manager: SessionManager<Customer>; shown: Session[] }[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  tab() {
    const shown: Session[] = [];
    const manager: SessionManager<Customer> = new SessionManager<Customer>({
      refresh: () => this.#refresh(),
      signOut: async () => {
        this.isLive = false;
      },
      exclusive: (work) => {
        const mine = this.#turn.then(work);
        this.#turn = mine.catch(() => undefined);
        return mine;
      },
      broadcast: (message: SessionMessage<Customer>) => {
        for (const other of this.#tabs) {
          if (other.manager !== manager) other.manager.receive(message);
        }
      },
      onSignedIn: (customer) => shown.push({ phase: 'customer', customer }),
      onSignedOut: (lost) => shown.push({ phase: 'guest', lost }),
      hasMarker: () => this.marker,
      forgetMarker: () => {
        this.marker = false;
      },
      now: () => this.now,
    });
    this.#tabs.push({ manager, shown });
    return { manager, shown };
  }

  signedIn(): SignInResponse {
    const accessToken = `token-${this.refreshes}`;
    this.good.clear();
    this.good.add(accessToken);
    return { accessToken, expiresIn: 600, user: ANNA };
  }

  /** A call that requires the customer's token. */
  readonly call = async (token: string | null): Promise<string> => {
    if (token === null || !this.good.has(token)) throw refusal('token_not_valid');
    return token;
  };

  async #refresh(): Promise<SignInResponse> {
    this.refreshes += 1;
    await Promise.resolve();
    if (this.fault) throw this.fault;
    if (!this.isLive) throw refusal('token_not_valid');
    return this.signedIn();
  }
}

describe('a session', () => {
  it('is restored from the cookie once for all calls', async () => {
    const browser = new Browser();
    const { manager, shown } = browser.tab();
    const tokens = await Promise.all([manager.token(), manager.call(browser.call), manager.call(browser.call)]);
    expect(tokens).toEqual(['token-1', 'token-1', 'token-1']);
    expect(browser.refreshes).toBe(1);
    expect(shown).toEqual([{ phase: 'customer', customer: ANNA }]);
  });

  it('makes no request where there is none', async () => {
    const browser = new Browser();
    browser.marker = false;
    const { manager } = browser.tab();
    const asGuest = vi.fn(async (token: string | null) => token);
    expect(await manager.call(asGuest)).toBeNull();
    expect(browser.refreshes).toBe(0);
  });

  it('answers parallel refusals of a token by one refresh and one retry each', async () => {
    const browser = new Browser();
    const { manager } = browser.tab();
    await manager.token();
    browser.good.clear();
    const call = vi.fn(browser.call);
    expect(await Promise.all([manager.call(call), manager.call(call), manager.call(call)])).toEqual(
      Array(3).fill('token-2'),
    );
    expect(browser.refreshes).toBe(2);
    expect(call).toHaveBeenCalledTimes(6);
  });

  it('does not refresh again for a call that was refused after the others had their new token', async () => {
    const browser = new Browser();
    const { manager } = browser.tab();
    await manager.token();
    let refuse: (error: Error) => void = () => undefined;
    const answers = [new Promise<string>((_, reject) => (refuse = reject)), Promise.resolve('late')];
    const slow = manager.call(() => answers.shift() as Promise<string>);
    browser.good.clear();
    await manager.call(browser.call);
    refuse(refusal('token_not_valid'));
    expect(await slow).toBe('late');
    expect(browser.refreshes).toBe(2);
  });

  it('retries once only', async () => {
    const browser = new Browser();
    const { manager } = browser.tab();
    const refused = vi.fn(async () => {
      throw refusal('token_not_valid');
    });
    await expect(manager.call(refused)).rejects.toThrow(ApiError);
    expect(refused).toHaveBeenCalledTimes(2);
  });

  it('passes other refusals on', async () => {
    const browser = new Browser();
    const { manager } = browser.tab();
    await expect(manager.call(() => Promise.reject(refusal('wrong_credentials')))).rejects.toThrow(ApiError);
    expect(browser.refreshes).toBe(1);
  });

  it('gets a new token before the old one expires', async () => {
    const browser = new Browser();
    const { manager } = browser.tab();
    await manager.token();
    browser.now += 595_000;
    expect(await manager.call(browser.call)).toBe('token-2');
  });

  it('that is over makes a guest, and the call is repeated as a guest', async () => {
    const browser = new Browser();
    const { manager, shown } = browser.tab();
    await manager.token();
    browser.good.clear();
    browser.isLive = false;
    const open = vi.fn(async (token: string | null) => {
      if (token !== null) throw refusal('token_not_valid');
      return 'open';
    });
    expect(await manager.call(open)).toBe('open');
    expect(shown.at(-1)).toEqual({ phase: 'guest', lost: true });
    expect(browser.marker).toBe(false);
  });

  it('is kept when the server cannot be reached', async () => {
    const browser = new Browser();
    const { manager, shown } = browser.tab();
    browser.fault = new NetworkError('No answer');
    await expect(manager.token()).rejects.toThrow(NetworkError);
    expect(shown).toEqual([]);
    expect(browser.marker).toBe(true);
    browser.fault = null;
    expect(await manager.token()).toBe('token-2');
  });
});

describe('two tabs', () => {
  it('share one refresh', async () => {
    const browser = new Browser();
    const [first, second] = [browser.tab(), browser.tab()];
    await first.manager.token();
    browser.good.clear();
    const tokens = await Promise.all([first.manager.call(browser.call), second.manager.call(browser.call)]);
    expect(tokens).toEqual(['token-2', 'token-2']);
    expect(browser.refreshes).toBe(2);
    expect(second.shown.at(-1)).toEqual({ phase: 'customer', customer: ANNA });
  });

  it('sign out together', async () => {
    const browser = new Browser();
    const [first, second] = [browser.tab(), browser.tab()];
    await first.manager.token();
    await second.manager.signOut();
    expect(first.shown.at(-1)).toEqual({ phase: 'guest', lost: false });
    expect(await first.manager.token()).toBeNull();
    expect(browser.refreshes).toBe(1);
  });

  it('sign in together', async () => {
    const browser = new Browser();
    browser.marker = false;
    const [first, second] = [browser.tab(), browser.tab()];
    first.manager.enter(browser.signedIn());
    expect(second.shown.at(-1)).toEqual({ phase: 'customer', customer: ANNA });
    expect(await second.manager.call(browser.call)).toBe('token-0');
    expect(browser.refreshes).toBe(0);
  });
});
