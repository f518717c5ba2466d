// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { ClaimAction, ClaimState } from '../../api/types';
import { BRAND } from '../../brand';
import { closeAccountDialog } from '../../session/accountDialog';
import { show } from '../../session/session';
import { paymentFixture } from './model/fixtures';
import { PRESENTATIONS } from './model/presentation';
import { ClaimServer, FakeEventSource, open, problem } from './testing';

const ID = '3f2b8c1e-5d74-4a0b-9a63-0c1f7e2d4b58';
const plain = (text: string | null) => (text ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');
const heading = async () => plain((await screen.findByRole('heading', { level: 1 })).textContent);
const button = (name: RegExp) => screen.getByRole('button', { name });
const REFUND = { amount: '399.5', currency: 'TON', fee: '0.5', destination: null, tx: null };
const WALLET = 'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA';
/** A name with any kind of space. */
const plainName = (name: string) => new RegExp(name.replaceAll(' ', '\\s'));
const OFFER = { fromSumma: '400', toSumma: '87452', course: '218.63', expiresAt: '2099-01-01T00:00:00Z' };
const SURPLUS = {
  amount: '87.5',
  currency: 'TON',
  fee: '0',
  tooSmall: false,
  offer: { ...OFFER, fromSumma: '412.5', toSumma: '90184.87' },
  destination: null,
};

beforeEach(() => {
  localStorage.clear();
  HTMLDialogElement.prototype.showModal ??= function open(this: HTMLDialogElement) {
    this.open = true;
  };
});
afterEach(() => {
  cleanup();
  closeAccountDialog();
  show({ phase: 'unknown' });
  vi.unstubAllGlobals();
});

describe('the ticket', () => {
  const states = Object.keys(PRESENTATIONS) as ClaimState[];

  it.each(states)('shows a claim that is %s in Russian and English', async (status) => {
    for (const locale of ['ru', 'en'] as const) {
      const server = new ClaimServer({ status, offer: OFFER, reason: { code: 'other', text: 'Ждём банк.' } });
      await open(locale === 'en' ? `/en/claim/${ID}` : `/claim/${ID}`, server, locale);
      expect(await heading()).not.toBe('');
      expect(screen.getByRole('list', { name: locale === 'en' ? 'Progress of the claim' : 'Ход заявки' })).toBeTruthy();
      expect(plain(document.body.textContent)).toContain('184 207');
      expect(document.body.textContent).not.toMatch(/\{\{|state\.|undefined/);
      cleanup();
    }
  });

  it.each([true, false])('has notifications in its first moment where they are sent (%s)', async (areSent) => {
    vi.stubGlobal('PushManager', class {});
    vi.stubGlobal('Notification', { permission: 'default' });
    Object.defineProperty(navigator, 'serviceWorker', { value: {}, configurable: true });
    const server = new ClaimServer({ status: 'awaiting_payment' });
    server.settings.browserNotifications = areSent;
    await open(`/claim/${ID}`, server);
    const [ticket] = screen.getAllByRole('article');
    expect(within(ticket as HTMLElement).queryByRole('button', { name: 'Включить уведомления' }) !== null).toBe(
      areSent,
    );
    Reflect.deleteProperty(navigator, 'serviceWorker');
  });

  it.each(states)('offers only what the server allows when the claim is %s', async (status) => {
    await open(`/claim/${ID}`, new ClaimServer({ status, offer: OFFER, actions: [] }));
    await heading();
    for (const name of [/Подтвердить/, /Я.оплатил/, /Отменить/, /Принять/, /Вернуть/, /возврат/, /файл/]) {
      expect(screen.queryByRole('button', { name })).toBeNull();
    }
  });
});

describe('an exchange that sends no emails', () => {
  afterEach(() => {
    BRAND.sendsEmails = undefined;
  });

  it.each([undefined, false])('does not promise them on the page of a claim (%s)', async (sendsEmails) => {
    BRAND.sendsEmails = sendsEmails;
    await open(`/claim/${ID}`, new ClaimServer({ status: 'paid' }));
    await heading();
    const text = plain(document.body.textContent);
    expect(text.includes('напишем на')).toBe(sendsEmails !== false);
    expect(text.includes('Писем о заявке не будет')).toBe(sendsEmails === false);
  });
});

describe('the data of a claim', () => {
  const asked = (server: ClaimServer) => server.calls.filter(({ path }) => path.endsWith('/form/')).length;

  it('is asked for once, and again with each change', async () => {
    const server = new ClaimServer({ updatedAt: new Date(Date.now() - 60_000).toISOString() });
    await open(`/claim/${ID}`, server);
    await heading();
    expect(asked(server)).toBe(1);
    await server.push({ status: 'payment_claimed' });
    expect(asked(server)).toBe(2);
  });

  it('is asked for again where the claim has changed while the page opened', async () => {
    const server = new ClaimServer({ updatedAt: new Date().toISOString() });
    await open(`/claim/${ID}`, server);
    await heading();
    expect(asked(server)).toBe(2);
  });
});

describe('where a claim stands', () => {
  const steps = [
    { status: 'created', at: '2026-11-21T14:00:00Z' },
    { status: 'awaiting_payment', at: '2026-11-21T14:02:00Z' },
    { status: 'payment_claimed', at: '2026-11-21T14:10:00Z' },
  ] as const;

  it('lists the steps with their times', async () => {
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'payment_claimed', steps: [...steps] }), 'en');
    await heading();
    const items = screen.getAllByRole('listitem').map((item) => plain(item.textContent));
    expect(items.filter((text) => /Claim made|Claim confirmed|You reported the payment/.test(text))).toHaveLength(3);
    expect(document.querySelectorAll('time[datetime="2026-11-21T14:10:00Z"]')).toHaveLength(1);
  });

  it('says that a check ended, instead of the step before it', async () => {
    const stopped = [
      { status: 'payment_seen', at: '2026-11-21T14:12:00Z' },
      { status: 'on_hold', at: '2026-11-21T14:13:00Z' },
      { status: 'payment_seen', at: '2026-11-21T15:00:00Z' },
    ] as const;
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'payment_seen', steps: [...stopped] }), 'en');
    await heading();
    const items = screen.getAllByRole('listitem').map((item) => plain(item.textContent));
    expect(items.filter((text) => /Payment detected/.test(text))).toHaveLength(1);
    expect(items.filter((text) => /Check finished, the exchange continues/.test(text))).toHaveLength(1);
  });

  it('says what came back, instead of a refund that was agreed again', async () => {
    const steps = [
      { status: 'completed', at: '2026-11-21T14:12:00Z' },
      { status: 'refund_pending', at: '2026-11-21T14:13:00Z' },
      { status: 'refund_sent', at: '2026-11-21T14:14:00Z' },
      { status: 'refund_pending', at: '2026-11-21T14:15:00Z' },
    ] as const;
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'refund_pending', steps: [...steps] }), 'en');
    await heading();
    const events = [...document.querySelectorAll('li:has(time)')].map((item) =>
      plain(item.lastChild?.textContent ?? ''),
    );
    const told = ['Exchange completed', 'Our payout came back to us', 'Refund sent', 'The transfer came back to us'];
    expect(events).toEqual(told);
  });

  it('offers a guest an account for the claims, with their address', async () => {
    show({ phase: 'guest', lost: false });
    await open(`/en/claim/success?id=${ID}`, new ClaimServer({ status: 'completed' }), 'en');
    fireEvent.click(await screen.findByRole('button', { name: 'Create an account' }));
    expect(((await screen.findByLabelText(/^Email/)) as HTMLInputElement).value).toBe('anna@example.com');
  });

  it('says how long the present step usually takes', async () => {
    const waiting = { since: new Date().toISOString(), medianSeconds: 240, usualSeconds: 660 };
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'payment_claimed', steps: [...steps], waiting }), 'en');
    await heading();
    expect(plain(screen.getByText(/usually takes about/).textContent)).toMatch(/about 4 min\..*no longer than 11 min/);
  });

  it('says when a step takes longer than usual, and what to do', async () => {
    const waiting = { since: '2024-11-21T14:10:00Z', medianSeconds: 240, usualSeconds: 660 };
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'paid', steps: [...steps], waiting }), 'en');
    await heading();
    expect(screen.getByText('This is taking longer than usual')).toBeTruthy();
    expect(plain(document.body.textContent)).toContain('give the claim number: 184 207');
    expect(screen.queryByText(/usually takes about/)).toBeNull();
  });

  it('foretells nothing where too little is known', async () => {
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'paid', steps: [...steps] }), 'en');
    await heading();
    expect(screen.queryByText(/usually/)).toBeNull();
  });

  it('takes the receipt that a rejection asks for', async () => {
    const reason = { code: 'payment_not_found', text: 'We could not find your payment.' };
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'rejected', reason, actions: ['upload'] }), 'en');
    await heading();
    expect(screen.getByText(/Attach it, then write to support/)).toBeTruthy();
  });
});

describe('a claim for cash', () => {
  const city = { code: 'DUBAI', name: 'Dubai', place: null };

  it('says where to come, and the code once there is cash to collect', async () => {
    const server = new ClaimServer({ status: 'payment_claimed' }, { city });
    await open(`/en/claim/${ID}`, server, 'en');
    await heading();
    expect(screen.getByText('Place and time by agreement: we will contact you.')).toBeTruthy();
    expect(screen.queryByText('Code to collect the cash')).toBeNull();
    await server.push({ status: 'processing', meetingCode: '482 193 504' });
    expect(await screen.findByText('482 193 504')).toBeTruthy();
    expect(screen.getByText('We will contact you to agree the place and the time. Say the code there.')).toBeTruthy();
  });
});

describe('the rules of a claim', () => {
  it('are linked in the version the customer agreed to, where that one can be read', async () => {
    for (const [termsVersion, address] of [
      ['3', '/en/rules?version=3'],
      ['2024-03-01', null],
      [null, null],
    ] as const) {
      await open(`/en/claim/${ID}`, new ClaimServer({ status: 'awaiting_payment' }, { termsVersion }), 'en');
      await heading();
      const link = screen.queryByRole('link', { name: /^Rules, version/ });
      expect(link?.getAttribute('href') ?? null).toBe(address);
      cleanup();
    }
  });
});

describe('a verification', () => {
  const currentStep = () => document.querySelector('[aria-current="step"]')?.textContent;

  it("is the customer's turn until the photos are sent, on the ticket and on other pages", async () => {
    const server = new ClaimServer({ status: 'verification' });
    await open(`/claim/${ID}`, server);
    await heading();
    expect(currentStep()).toBe('Проверка, сейчас ваш ход');
    await server.push({ status: 'verification', expiresAt: null });
    await waitFor(() => expect(currentStep()).toBe('Проверка, сейчас'));
    cleanup();
    await open('/', new ClaimServer({ status: 'verification' }));
    expect(await screen.findByRole('link', { name: /Ждём фото/ })).toBeTruthy();
  });
});

describe('confirming', () => {
  it('asks to accept the terms of the direction, and again when they have changed', async () => {
    const terms = { id: 'a', title: 'No returns', message: '<p>None <b>at all</b>.</p>', acceptedAt: null };
    const form = { amlConsent: true, customerTerms: terms };
    const server = new ClaimServer({ status: 'created', actions: ['confirm'] }, form);
    await open(`/en/claim/${ID}`, server, 'en');
    await heading();
    expect(screen.getByRole('region', { name: 'No returns' }).querySelector('b')?.textContent).toBe('at all');
    const box = () => screen.getByRole('checkbox', { name: /accept/ }) as HTMLInputElement;
    fireEvent.click(button(/^Confirm/));
    expect(plain(document.body.textContent)).toContain('Accept these terms to continue.');
    expect(server.calls.some(({ path }) => path.includes('confirm'))).toBe(false);

    fireEvent.click(box());
    server.answers.confirm = () => {
      server.form = { ...server.form, customerTerms: { ...terms, id: 'b', title: 'Still none' } };
      return problem(409, 'customer_terms_changed', 'The terms have changed.');
    };
    fireEvent.click(button(/^Confirm/));
    expect(await screen.findByRole('region', { name: 'Still none' })).toBeTruthy();
    expect(box().checked).toBe(false);
    server.answers.confirm = () => Response.json({ ...server.status, status: 'awaiting_payment', actions: [] });
    fireEvent.click(box());
    fireEvent.click(button(/^Confirm/));
    await waitFor(() =>
      expect(server.calls.filter(({ path }) => path.includes('confirm')).map(({ body }) => body)).toEqual([
        { acceptedTerms: 'a' },
        { acceptedTerms: 'b' },
      ]),
    );
  });

  it('requires consent and submits it with the version of the rules', async () => {
    const server = new ClaimServer({ status: 'created', actions: ['confirm', 'cancel'] });
    await open(`/claim/${ID}`, server);
    fireEvent.click(await screen.findByRole('button', { name: /Подтвердить/ }));
    expect(screen.getByText(/Примите правила/)).toBeTruthy();
    expect(server.calls.some(({ path }) => path.includes('confirm'))).toBe(false);

    server.answers.confirm = () => Response.json({ ...server.status, status: 'awaiting_payment', actions: ['paid'] });
    fireEvent.click(screen.getByRole('checkbox'));
    fireEvent.click(button(/Подтвердить/));
    await waitFor(async () => expect(await heading()).toBe('Отправьте ровно 412,5 TON'));
    expect(server.calls.find(({ path }) => path.includes('confirm'))?.body).toEqual({
      termsVersion: '2024-03-01',
      amlConsent: true,
    });
  });

  it.each([
    ['2099-01-01T12:00:00Z', /^до \d\d:00, если платёж поступит/],
    ['2020-01-01T12:00:00Z', /срок вышел\. Когда подтвердите, закрепим его заново/],
  ])('whose rate is held until %s says so', async (termsEnd, text) => {
    await open(`/claim/${ID}`, new ClaimServer({ status: 'created', termsEnd, actions: ['confirm'] }));
    await heading();
    expect(screen.getByText(text)).toBeTruthy();
  });

  it('shows why it was refused and the present amounts', async () => {
    const server = new ClaimServer({ status: 'created', actions: ['confirm'] }, { amlConsent: true });
    await open(`/claim/${ID}`, server);
    server.answers.confirm = () => {
      server.form = { ...server.form, to: { ...server.form.to, amount: '90000' } };
      return problem(409, 'rate_changed', 'Курс изменился.');
    };
    fireEvent.click(await screen.findByRole('button', { name: /Подтвердить/ }));
    expect(await screen.findByText('Курс изменился.')).toBeTruthy();
    await waitFor(() => expect(plain(document.body.textContent)).toContain('90 000 ₽'));
  });
});

describe('paying', () => {
  it('shows the memo before the address, and the amount', async () => {
    await open(`/claim/${ID}`, new ClaimServer({ status: 'awaiting_payment', actions: ['paid', 'cancel', 'upload'] }));
    const memo = await screen.findByText('70418826');
    const address = screen.getByText('AgIo', { exact: false, selector: 'b' });
    expect(memo.compareDocumentPosition(address)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(screen.getByRole('img', { name: 'QR-код для оплаты' })).toBeTruthy();
    expect(screen.getByText('В коде уже есть сумма и комментарий')).toBeTruthy();
  });

  it('calls a tag what its network calls it', async () => {
    const server = new ClaimServer({ status: 'awaiting_payment', actions: ['paid'] });
    server.answers.requisite = () => Response.json(paymentFixture({ memoKind: 'tag', kind: 'xrp' }));
    await open(`/en/claim/${ID}`, server, 'en');
    expect(await screen.findByText('First, the destination tag')).toBeTruthy();
    expect(document.body.textContent).not.toMatch(/memo/i);
  });

  it('names the payee of a bank transfer', async () => {
    const server = new ClaimServer({ status: 'awaiting_payment', actions: ['paid'] });
    server.answers.requisite = () => Response.json(paymentFixture({ memo: null, memoKind: null, holder: 'IVAN P.' }));
    await open(`/en/claim/${ID}`, server, 'en');
    expect(await screen.findByText('IVAN P.')).toBeTruthy();
  });

  it('waits for the details of a bank and leads to its page', async () => {
    const server = new ClaimServer({ status: 'awaiting_payment', actions: ['paid'] });
    server.answers.requisite = () => problem(409, 'payment_details_pending', 'Получаем реквизиты.');
    await open(`/claim/${ID}`, server);
    expect(await screen.findByText(/Получаем реквизиты/)).toBeTruthy();
    const page = 'https://pay.example/inv-7';
    const details = { value: 'inv-7', memo: null, kind: 'card', paymentUri: page, page } as const;
    server.answers.requisite = () => Response.json(paymentFixture(details));
    await server.push({ status: 'awaiting_payment', actions: ['paid'] });
    const link = await screen.findByRole('link', { name: 'Оплатить на pay.example' });
    expect(link.getAttribute('href')).toBe(page);
    expect(screen.getByText('Номер счёта на оплату')).toBeTruthy();
    expect(screen.queryByText(/Получаем реквизиты/)).toBeNull();
  });

  it('shows no page that is not on the web', async () => {
    const server = new ClaimServer({ status: 'awaiting_payment', actions: ['paid'] });
    const page = 'javascript:alert(1)';
    server.answers.requisite = () => Response.json(paymentFixture({ value: 'inv-7', paymentUri: page, page }));
    await open(`/claim/${ID}`, server);
    await screen.findByText('Номер счёта на оплату');
    expect(screen.queryByRole('link', { name: /Оплатить/ })).toBeNull();
  });

  it('is not asked for once its time is over, and one that was sent can still be reported', async () => {
    const [over, actions] = ['2020-01-01T12:00:00Z', ['paid', 'cancel', 'upload'] as ClaimAction[]];
    await open(`/en/claim/${ID}`, new ClaimServer({ expiresAt: over, termsEnd: over, actions }), 'en');
    expect(await heading()).toBe('The time to pay is up');
    const text = plain(document.body.textContent);
    expect(text).toContain('If you have not sent the money yet, please do not');
    expect(text).toMatch(/If it arrives later and the rate has moved, we offer the new rate or a refund/);
    expect(text).not.toMatch(/Send exactly|70418826|Rate, fixed/);
    expect(screen.queryByRole('img', { name: 'Payment QR code' })).toBeNull();
    expect(button(/I have paid/)).toBeTruthy();
  });

  it('is asked for until its time is over', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    const termsEnd = new Date(Date.now() + 90_000).toISOString();
    await open(`/en/claim/${ID}`, new ClaimServer({ expiresAt: termsEnd, termsEnd }), 'en');
    expect(await heading()).toMatch(/^Send exactly/);
    await act(() => vi.advanceTimersByTimeAsync(91_000));
    expect(await heading()).toBe('The time to pay is up');
    vi.useRealTimers();
  });

  it('cannot be reported without the receipt the direction requires', async () => {
    const server = new ClaimServer({ actions: ['paid', 'upload'] }, { receiptRequired: true });
    await open(`/claim/${ID}`, server);
    fireEvent.click(await screen.findByRole('button', { name: /Я.оплатил/ }));
    expect(screen.getByText(/Сначала приложите квитанцию/)).toBeTruthy();
    expect(document.activeElement).toBe(button(/Выбрать файл/));
    expect(server.calls.some(({ path }) => path.includes('/paid/'))).toBe(false);
  });

  it.each([
    ['an extra below the button', false, ['QR-код', 'Я оплатил', 'Выбрать файл']],
    ['above the button where the direction requires it', true, ['QR-код', 'Выбрать файл', 'Я оплатил']],
  ])('has the receipt as %s', async (_, receiptRequired, order) => {
    await open(`/claim/${ID}`, new ClaimServer({ actions: ['paid', 'upload'] }, { receiptRequired }));
    const qr = await screen.findByRole('img', { name: /QR/ });
    const parts = { 'QR-код': qr, 'Я оплатил': button(/Я.оплатил/), 'Выбрать файл': button(/Выбрать файл/) };
    const isAfter = (a: Node, b: Node) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING;
    const found = Object.entries(parts).sort(([, a], [, b]) => (isAfter(a, b) ? -1 : 1));
    expect(found.map(([name]) => name)).toEqual(order);
  });

  it('requires a confirmation of the cancellation', async () => {
    const server = new ClaimServer({ actions: ['paid', 'cancel'] });
    const router = await open(`/claim/${ID}`, server);
    fireEvent.click(await screen.findByRole('button', { name: /Отменить заявку/ }));
    expect(server.calls.some(({ path }) => path.includes('/cancel/'))).toBe(false);
    server.answers.cancel = () => Response.json({ ...server.status, status: 'cancelled', actions: [], isFinal: true });
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: /Да, отменить/ }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/claim/fail'));
    expect(await heading()).toBe('Заявка отменена');
  });
});

describe('a surplus', () => {
  const chosen = { ...SURPLUS, offer: null, destination: 'UQDKbj…gqPuwA' };

  it('is named until the payout', async () => {
    await open(`/claim/${ID}`, new ClaimServer({ status: 'paid', surplus: chosen }));
    await heading();
    const face = plain(screen.getByRole('article').firstElementChild?.textContent ?? '');
    expect(face).toContain('Вернём после выплаты87,5 TONUQDKbj…gqPuwA');
  });

  it.each(['refund_pending', 'refund_sent'] as const)('that is %s is no refund of the exchange', async (status) => {
    const refund = { ...REFUND, amount: '87.5', fee: '0', destination: 'UQDKbj…gqPuwA' };
    const steps = [
      { status: 'payout_sent', at: '2026-11-21T14:00:00Z' },
      { status, at: '2026-11-21T14:02:00Z' },
    ] as const;
    await open(`/claim/${ID}`, new ClaimServer({ status, refund, surplus: chosen, steps: [...steps] }));
    expect(await heading()).toMatch(/излиш/i);
    const text = plain(screen.getByRole('article').textContent);
    for (const part of ['87,5 TON', '90 184,87 ₽', 'Получили']) expect(text).toContain(part);
    expect(text).not.toMatch(/Возврат (согласован|отправлен)/);
  });

  it('that did not arrive says so until it is sent again', async () => {
    const refund = { ...REFUND, amount: '87.5', fee: '0', destination: 'UQDKbj…gqPuwA' };
    const reason = { code: 'refund_returned', text: 'Возврат не дошёл до получателя.' };
    const server = new ClaimServer({ status: 'refund_pending', refund, surplus: chosen, reason });
    await open(`/claim/${ID}`, server);
    expect(await heading()).toMatch(/излиш/i);
    expect(plain(screen.getByRole('article').textContent)).toContain(reason.text);
  });

  it('that came back is shown with the exchange', async () => {
    const refund = { ...REFUND, amount: '87.5', fee: '0', tx: { id: 'returned-1', url: null } };
    await open(`/claim/success?id=${ID}`, new ClaimServer({ status: 'completed', refund, received: '500' }));
    await heading();
    const face = plain(screen.getByRole('article').firstElementChild?.textContent ?? '');
    for (const part of ['Вы отправили500 TON', 'Вернули87,5 TON', 'returned-1']) expect(face).toContain(part);
  });
});

describe('a different amount', () => {
  const overpaid = {
    status: 'amount_mismatch',
    offer: { ...OFFER, fromSumma: '500' },
    surplus: SURPLUS,
    actions: ['accept', 'return_surplus', 'refund', 'upload'],
  } as const;
  const mismatch = {
    status: 'amount_mismatch',
    offer: OFFER,
    refund: REFUND,
    actions: ['accept', 'refund', 'upload'],
  } as const;

  it('offers three options with their amounts', async () => {
    await open(`/claim/${ID}`, new ClaimServer({ ...mismatch, actions: [...mismatch.actions] }));
    await heading();
    const text = plain(document.body.textContent);
    expect(text).toContain('Принять и получить 87 452 ₽');
    expect(text).toContain('На 2 732,87 ₽ меньше, чем в заявке');
    expect(text).toContain('Доплатить 12,5 TON');
    expect(text).toContain('Вернём 399,5 TON. Комиссию за перевод, 0,5 TON, уже вычли.');
  });

  it('names the time to choose by', async () => {
    const server = new ClaimServer({
      status: 'amount_mismatch',
      offer: OFFER,
      actions: ['accept', 'upload', 'refund'],
    });
    await open(`/en/claim/${ID}`, server, 'en');
    await heading();
    expect(plain(screen.getByText(/^Choose by/).textContent)).toContain('an operator takes the claim');
  });

  it('asks nobody who sent too much for a receipt', async () => {
    await open(`/en/claim/${ID}`, new ClaimServer({ ...overpaid, actions: [...overpaid.actions] }), 'en');
    await heading();
    expect(screen.queryByRole('button', { name: /receipt/i })).toBeNull();
    expect(screen.getByRole('button', { name: 'Get a refund' })).toBeTruthy();
  });

  it('beyond the agreed one is returned after the exchange, to the given address', async () => {
    const server = new ClaimServer({ ...overpaid, actions: [...overpaid.actions] });
    await open(`/claim/${ID}`, server);
    fireEvent.click(await screen.findByRole('button', { name: plainName('Обменять и вернуть 87,5 TON') }));
    const form = plain(screen.getByRole('article').firstElementChild?.textContent ?? '');
    for (const part of ['412,5 TON', '90 184,87 ₽', '87,5 TON', 'Комиссия за переводнет']) expect(form).toContain(part);
    server.answers.surplus = () => problem(409, 'rate_changed', 'Курс изменился.');
    fireEvent.change(await screen.findByLabelText('Адрес TON'), { target: { value: WALLET } });
    fireEvent.click(button(/Обменять и вернуть излишек/));
    expect(await screen.findByText('Курс изменился.')).toBeTruthy();
    expect(server.calls.find(({ path }) => path.includes('/surplus/'))?.body).toEqual({
      fromSumma: '412.5',
      toSumma: '90184.87',
      requisites: { wallet: WALLET },
    });
  });

  it('beyond the agreed one says why it is not returned', async () => {
    const surplus = { ...SURPLUS, tooSmall: true, offer: null };
    await open(`/en/claim/${ID}`, new ClaimServer({ ...overpaid, surplus, actions: ['accept', 'refund'] }), 'en');
    await heading();
    expect(plain(document.body.textContent)).toContain('The rest, 87.5 TON, is worth less than sending it costs');
    expect(screen.queryByRole('button', { name: /get .* back/ })).toBeNull();
  });

  it('asks for exactly the rest, without the code of the whole amount', async () => {
    await open(`/claim/${ID}`, new ClaimServer({ ...mismatch, actions: [...mismatch.actions] }));
    fireEvent.click(await screen.findByRole('button', { name: 'Доплатить' }));
    expect(await screen.findByText('12,5 TON')).toBeTruthy();
    expect(screen.queryByRole('img', { name: 'QR-код для оплаты' })).toBeNull();
  });

  it("is refunded to the given address, with the server's errors shown", async () => {
    const server = new ClaimServer({ ...mismatch, actions: [...mismatch.actions] });
    await open(`/claim/${ID}`, server);
    fireEvent.click(await screen.findByRole('button', { name: 'Вернуть деньги' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Запросить возврат' }));
    expect(await screen.findByText(/Без этого возврат/)).toBeTruthy();
    server.answers.refund = () =>
      problem(422, 'validation_failed', 'Проверьте поля.', {
        'requisites.wallet': [{ code: 'address_checksum', message: 'В адресе опечатка.' }],
      });
    fireEvent.change(screen.getByLabelText('Адрес TON'), { target: { value: ' UQwrong ' } });
    fireEvent.blur(screen.getByLabelText('Адрес TON'));
    await waitFor(() => expect(screen.getByLabelText('Адрес TON').getAttribute('aria-invalid')).toBe('true'));
    fireEvent.click(button(/Запросить возврат/));
    expect(server.calls.some(({ path }) => path.includes('/refund/'))).toBe(false);

    fireEvent.change(screen.getByLabelText('Адрес TON'), { target: { value: WALLET } });
    fireEvent.click(button(/Запросить возврат/));
    expect(await screen.findByText('В адресе опечатка.')).toBeTruthy();
    expect(server.calls.find(({ path }) => path.includes('/refund/'))?.body).toEqual({
      requisites: { wallet: WALLET },
    });
  });
});

describe('a refund', () => {
  it.each([
    ['refund_pending', 'Вернём'],
    ['refund_sent', 'Возвращаем'],
    ['refunded', 'Вернули'],
  ] as const)('that is %s names what really comes back, and whether it has come', async (status, label) => {
    const refund = { ...REFUND, destination: 'UQDKbj…gqPuwA', tx: { id: 'returned-1', url: null } };
    const at = status === 'refunded' ? `/claim/fail?id=${ID}` : `/claim/${ID}`;
    await open(at, new ClaimServer({ status, refund }));
    await heading();
    const face = plain(screen.getByRole('article').firstElementChild?.textContent ?? '');
    for (const part of ['399,5 TON', '0,5 TON', 'UQDKbj…gqPuwA', 'returned-1', `${label}399,5`])
      expect(face).toContain(part);
    expect(face).not.toContain('412,5');
  });

  it('without a destination leads others to where the customer can give it', async () => {
    await open(`/claim/${ID}`, new ClaimServer({ status: 'refund_pending', refund: REFUND }, { owner: false }));
    expect(await heading()).toBe('Скажите, куда вернуть деньги');
    expect(screen.getByText(/в браузере, где создана заявка/)).toBeTruthy();
    expect(screen.getByText(/сейчас ваш ход/)).toBeTruthy();
    expect(screen.queryByText(/Делать ничего не нужно/)).toBeNull();
  });

  it('without a destination asks the customer for it, by the same call', async () => {
    const server = new ClaimServer({ status: 'refund_pending', refund: REFUND, actions: ['refund_to'] });
    await open(`/claim/${ID}`, server);
    expect(await heading()).toBe('Скажите, куда вернуть деньги');
    expect(screen.getByText(/сейчас ваш ход/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Назад/ })).toBeNull();
    server.answers.refund = () =>
      Response.json({ ...server.status, actions: [], refund: { ...REFUND, destination: 'UQDKbj…gqPuwA' } });
    fireEvent.change(await screen.findByLabelText('Адрес TON'), { target: { value: WALLET } });
    const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
    fireEvent.click(button(/Запросить возврат/));
    await waitFor(async () => expect(await heading()).toBe('Готовим возврат'));
    await waitFor(() => expect(scroll.mock.contexts).toEqual([screen.getByRole('heading', { level: 1 })]));
    scroll.mockRestore();
    expect(server.calls.find(({ method }) => method === 'POST')).toMatchObject({
      path: `/claim/${ID}/refund/`,
      body: { requisites: { wallet: WALLET } },
    });
  });

  it('of an unknown amount shows none', async () => {
    await open(`/claim/${ID}`, new ClaimServer({ status: 'refund_pending' }));
    await heading();
    expect(plain(screen.getByRole('article').firstElementChild?.textContent ?? '')).not.toContain('412,5');
  });
});

it.each([
  ['network_delay', false],
  ['aml_check', true],
])('a claim on hold for %s takes documents: %s', async (code, takesFiles) => {
  const server = new ClaimServer({ status: 'on_hold', reason: { code, text: 'Ждём.' }, actions: ['upload'] });
  await open(`/claim/${ID}`, server);
  await heading();
  expect(screen.queryByRole('button', { name: /файл/ }) !== null).toBe(takesFiles);
  expect(plain(document.body.textContent).includes('Приложите документы')).toBe(takesFiles);
});

it('a claim on hold for its payout details asks for an answer instead of documents', async () => {
  const reason = { code: 'wrong_requisites', text: 'С реквизитами для выплаты что-то не так.' };
  await open(`/claim/${ID}`, new ClaimServer({ status: 'on_hold', reason, actions: ['upload'] }));
  await heading();
  expect(screen.queryByRole('button', { name: /файл/ })).toBeNull();
  expect(plain(document.body.textContent)).toContain('Оператор напишет вам на почту');
});

it('a partial payout shows what was paid and what is left', async () => {
  const paidOut = { paid: '90000', left: '184.87', currency: 'SBERRUB' };
  await open(`/claim/${ID}`, new ClaimServer({ status: 'payout_partial', paidOut }));
  await heading();
  const text = plain(document.body.textContent);
  expect(text).toMatch(/Отправили вам90 000 ₽/);
  expect(text).toMatch(/Осталось отправить184,87 ₽/);
});

it.each(['payout_sent', 'completed', 'refunded'] as const)(
  'a payout made in parts shows each transfer when the claim is %s',
  async (status) => {
    const part = (id: string, amount: string, at: string) => ({ amount, at, tx: { id, url: null } });
    const payouts = [
      part('2611211448030017', '90000', '2026-11-21T14:10:00Z'),
      part('2611211448030018', '184.87', '2026-11-21T14:15:00Z'),
    ];
    await open(`/claim/${ID}`, new ClaimServer({ status, txOut: payouts[1]?.tx ?? null, payouts }));
    await heading();
    const text = plain(document.body.textContent);
    expect(text).toMatch(/Отправили 90 000 ₽ \([^)]*\d\d:\d\d\)/);
    expect(text).toMatch(/Отправили 184,87 ₽ \(/);
    expect(screen.getAllByTitle('2611211448030017')).toHaveLength(1);
    expect(screen.getAllByTitle('2611211448030018')).toHaveLength(1);
  },
);

it('the rest of a partial payout, once sent, is not left to send', async () => {
  const paidOut = { paid: '90000', left: '184.87', currency: 'SBERRUB' };
  await open(`/claim/${ID}`, new ClaimServer({ status: 'payout_sent', paidOut }));
  await heading();
  const text = plain(document.body.textContent);
  expect(text).toMatch(/Отправили вам90 184,87 ₽/);
  expect(text).not.toMatch(/Осталось отправить/);
});

it.each(['refund_pending', 'refund_sent', 'refunded'] as const)(
  'a claim that is %s has no fixed rate',
  async (status) => {
    await open(`/claim/${ID}`, new ClaimServer({ status, refund: { ...REFUND, destination: 'UQDKbj…gqPuwA' } }));
    await heading();
    const text = plain(document.body.textContent);
    expect(text).toContain('Получить по заявке');
    expect(text).not.toContain('Курс, закреплён');
  },
);

it.each(['refund_pending', 'refund_sent', 'refunded'] as const)('a claim that is %s says why', async (status) => {
  const reason = { code: 'other', text: 'Карта отправителя не ваша.' };
  await open(`/claim/${ID}`, new ClaimServer({ status, reason, refund: { ...REFUND, destination: 'UQDKbj…gqPuwA' } }));
  await heading();
  expect(plain(document.body.textContent)).toContain('ПричинаКарта отправителя не ваша.');
});

it('a currency whose name has its network names it once', async () => {
  const server = new ClaimServer({ status: 'awaiting_payment' });
  const to = { ...server.form.to, name: 'Tether TRC20', network: 'TRC20', kind: 'crypto' as const, requisites: [] };
  server.form = { ...server.form, to };
  await open(`/claim/${ID}`, server);
  await heading();
  expect(within(screen.getByRole('complementary')).getByText('Tether TRC20')).toBeTruthy();
});

it('a printed ticket names the exchange', async () => {
  await open(`/claim/${ID}`, new ClaimServer({ status: 'completed' }));
  await heading();
  const stub = plain(screen.getByRole('complementary').textContent);
  for (const line of ['Agio', window.location.host, 'help@example.com']) expect(stub).toContain(line);
});

it('cash is brought, not sent', async () => {
  const server = new ClaimServer({ status: 'awaiting_payment' });
  server.form = { ...server.form, from: { ...server.form.from, kind: 'cash' } };
  await open(`/claim/${ID}`, server);
  expect(await heading()).toMatch(/^Принесите ровно/);
});

it('cash needs no receipt of a transfer', async () => {
  const server = new ClaimServer({ status: 'awaiting_payment', actions: ['paid', 'upload'] });
  server.form = { ...server.form, from: { ...server.form.from, kind: 'cash' } };
  await open(`/claim/${ID}`, server);
  await screen.findByRole('button', { name: /передал.деньги/ });
  await server.push({ status: 'payment_claimed', actions: ['upload'] });
  expect(await heading()).toBe('Вы сообщили, что передали деньги');
  expect(screen.queryByRole('heading', { name: 'Квитанция' })).toBeNull();
  expect(screen.queryByRole('button', { name: /файл/ })).toBeNull();
});

it.each([
  [null, 'Мы свяжемся с вами и договоримся о месте и времени встречи.'],
  ['ул. Примерная, 1', 'Наличные выдадим на месте встречи.'],
])('cash is not said to be sent, where its place is %s', async (place, text) => {
  const server = new ClaimServer({ status: 'payment_seen' }, { city: { code: 'MSK', name: 'Москва', place } });
  server.form = { ...server.form, to: { ...server.form.to, name: 'Наличные', kind: 'cash' } };
  await open(`/claim/${ID}`, server);
  await heading();
  for (const [status, said] of [
    ['paid', text],
    ['processing', text],
    ['payout_sent', 'Вы получили деньги.'],
  ] as const) {
    await server.push({ status });
    await waitFor(() =>
      expect(screen.getAllByRole('status').some((line) => line.textContent?.includes(said))).toBe(true),
    );
    expect(document.body.textContent).not.toMatch(/Отправляем вам|Деньги отправлены|в очереди на выплату/);
  }
  await server.push({ status: 'completed' });
  await waitFor(() => expect(plain(document.body.textContent)).toMatch(/Выдали в \d\d:\d\d: Москва/));
});

describe('a reported payment', () => {
  it('leads back to the payment details, for a payment reported before it was sent', async () => {
    const server = new ClaimServer({ status: 'payment_claimed' });
    await open(`/en/claim/${ID}`, server, 'en');
    await heading();
    expect(server.calls.some(({ path }) => path.includes('/requisite/'))).toBe(false);
    fireEvent.click(screen.getByText(/if you have not sent the money yet/));
    expect(await screen.findByText('70418826')).toBeTruthy();
    expect(screen.getByText('AgIo', { exact: false, selector: 'b' })).toBeTruthy();
  });

  it('asks nobody to pay once the agreed terms have ended', async () => {
    await open(
      `/en/claim/${ID}`,
      new ClaimServer({ status: 'payment_claimed', termsEnd: '2020-01-01T12:00:00Z' }),
      'en',
    );
    await heading();
    expect(screen.queryByText(/if you have not sent the money yet/)).toBeNull();
    fireEvent.click(screen.getByText('The payment details you paid to'));
    expect(await screen.findByText('70418826')).toBeTruthy();
  });

  it('shows the payment details where the payment is missed', async () => {
    await open(`/en/claim/${ID}`, new ClaimServer({ status: 'payment_claimed', paymentMissing: true }), 'en');
    expect(await screen.findByText('70418826')).toBeTruthy();
  });

  const claimed = (changes: object) => open(`/claim/${ID}`, new ClaimServer({ status: 'payment_claimed', ...changes }));

  it('shows until when the agreed rate holds, and when the claim expires', async () => {
    await claimed({ termsEnd: '2099-01-01T12:00:00Z', claimEndsAt: '2099-01-01T14:00:00Z' });
    await heading();
    const text = plain(document.body.textContent);
    expect(text).toMatch(/Курс закреплён до 1 января, \d\d:00\./);
    expect(text).toMatch(/Если до 1 января, \d\d:00 не увидим ни платежа, ни квитанции, заявка закроется/);
    expect(text).toContain('Курс, закреплён');
    expect(text).not.toContain('Пока не видим');
  });

  it.each([
    ['payment_seen', 'Курс, плавающий'],
    ['paid', 'Курс'],
    ['processing', 'Курс, закреплён'],
    ['completed', 'Курс, закреплён'],
    ['cancelled', 'Курс'],
  ] as const)('of a floating direction that is %s has the rate “%s”', async (status, name) => {
    await open(`/claim/${ID}`, new ClaimServer({ status }, { floating: true }));
    await heading();
    expect(within(screen.getByRole('complementary')).getByText(name)).toBeTruthy();
  });

  it('with an expired rate promises no rate on the stub', async () => {
    await claimed({ termsEnd: '2020-01-01T12:00:00Z' });
    await heading();
    const text = plain(document.body.textContent);
    expect(text).toMatch(/Срок курса вышел в .*\d\d:00/);
    expect(text).not.toContain('Курс, закреплён');
  });

  it('is reported missing before the claim expires', async () => {
    await claimed({ paymentMissing: true, claimEndsAt: '2099-01-01T14:00:00Z', actions: ['upload'] });
    expect(await screen.findByRole('heading', { name: 'Пока не видим вашего платежа' })).toBeTruthy();
    expect(document.body.textContent).not.toContain('Делать ничего не нужно');
  });

  it('of a floating direction is promised no rate', async () => {
    await claimed({ termsEnd: null });
    await heading();
    expect(document.body.textContent).not.toMatch(/Курс закреплён|Срок курса/);
  });
});

describe('changes of a claim', () => {
  it('update the page without a reload, are announced, and focus the heading', async () => {
    const server = new ClaimServer({ status: 'payment_claimed' });
    await open(`/claim/${ID}`, server);
    await heading();
    expect(document.activeElement).toBe(document.body);
    await server.push({ status: 'payment_seen', confirmations: 0, confirmationsRequired: 2 });
    expect(await heading()).toBe('Платёж замечен. Ждём ещё 2 подтверждения сети');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })));
    expect(screen.getAllByRole('status').some(({ textContent }) => textContent?.startsWith('Платёж замечен'))).toBe(
      true,
    );
  });

  it('do not scroll the page, except where the customer started them', async () => {
    const arrived: Element[] = [];
    const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function note(this: Element) {
      arrived.push(this);
    });
    const server = new ClaimServer({ actions: ['paid'] });
    await open(`/claim/${ID}`, server);
    server.answers.paid = () =>
      Response.json({ ...server.status, status: 'payment_claimed', updatedAt: '2026-11-21T14:16:00Z' });
    fireEvent.click(await screen.findByRole('button', { name: /Я.оплатил/ }));
    await waitFor(() => expect(arrived).toEqual([screen.getByRole('heading', { name: /ищем платёж/ })]));
    delete server.answers.paid;
    await server.push({ status: 'payment_seen' });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })));
    expect(arrived.length).toBe(1);
    scroll.mockRestore();
  });

  it('open the success page of a completed claim and forget it', async () => {
    const server = new ClaimServer({ status: 'payout_sent' });
    const router = await open(`/claim/${ID}`, server);
    await heading();
    expect(localStorage.getItem('agio.claim')).toContain(ID);
    await server.push({ status: 'completed', isFinal: true, txOut: { id: '2611211448030017', url: null } });
    await waitFor(() =>
      expect(router.state.location.pathname + router.state.location.search).toBe(`/claim/success?id=${ID}`),
    );
    expect(await heading()).toBe('Готово90 184,87 ₽');
    expect(screen.getByText('2611211448030017', { selector: 'span:first-child' })).toBeTruthy();
    expect(localStorage.getItem('agio.claim')).toBeNull();
  });

  it('reopen an expired claim when the money arrives late', async () => {
    const server = new ClaimServer({ status: 'expired', isFinal: true });
    const router = await open(`/claim/fail?id=${ID}`, server);
    expect(await heading()).toBe('Время на оплату вышло');
    await server.push({ status: 'late_payment', isFinal: false, offer: OFFER, actions: ['accept', 'refund'] });
    await waitFor(() => expect(router.state.location.pathname).toBe(`/claim/${ID}`));
    expect(await heading()).toBe('Платёж пришёл поздно');
  });

  it('that stop arriving show a warning with the time of the last status', async () => {
    const server = new ClaimServer({ status: 'paid' });
    await open(`/claim/${ID}`, server);
    await heading();
    FakeEventSource.open[0]?.dispatchEvent(new Event('error'));
    expect(plain((await screen.findByRole('alert')).textContent)).toMatch(
      /^Связь прервалась. Показан статус на \d\d:\d\d/,
    );
  });
});

describe('the addresses of a claim', () => {
  it('redirect home when no claim is remembered', async () => {
    const router = await open('/claim', new ClaimServer({}));
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
  });

  it.each([
    ['/claim/success', 'Платёж скоро появится'],
    ['/claim/fail', 'Платёж не отправлен'],
  ])('stay at %s without a claim, and lead to one', async (path, title) => {
    const router = await open(path, new ClaimServer({}));
    expect(await heading()).toBe(title);
    expect(router.state.location.pathname).toBe(path);
    expect(within(screen.getByRole('main')).getByRole('button', { name: 'Найти мою заявку' })).toBeTruthy();
  });

  it('show the remembered claim', async () => {
    localStorage.setItem('agio.claim', JSON.stringify({ id: ID }));
    await open('/claim', new ClaimServer({ status: 'processing' }));
    expect(await heading()).toBe('Готовим выплату');
  });

  it("do not remember somebody else's claim", async () => {
    await open(`/claim/${ID}`, new ClaimServer({ status: 'paid' }, { owner: false, email: 'a•••@example.com' }));
    await heading();
    expect(localStorage.getItem('agio.claim')).toBeNull();
  });

  it('say where a refund can be asked for, elsewhere than in the browser of the claim', async () => {
    const server = new ClaimServer({ status: 'late_payment', offer: OFFER, actions: ['accept'] }, { owner: false });
    await open(`/claim/${ID}`, server);
    await heading();
    expect(screen.getByRole('heading', { name: 'Вернуть деньги' }).nextSibling?.textContent).toMatch(/в браузере/);
    expect(screen.queryByRole('button', { name: 'Вернуть деньги' })).toBeNull();
  });

  it('show the 404 page for an unknown claim', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await open('/claim/8a1c0d52-1f6e-4c8b-8b6b-2f0a9f3f7c11', new ClaimServer({}));
    expect(await screen.findByRole('heading', { name: '404 | page not found' })).toBeTruthy();
    vi.mocked(console.error).mockRestore();
  });
});
