import { expect, type Locator, type Page, test } from '@playwright/test';
import type { en } from '../../../../admin-web/src/i18n/en.ts';
import { Console } from '../support/console.ts';
import { locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectNoOverflow } from '../support/page.ts';
import { StaffApi } from '../support/staff-api.ts';
import { join } from '../support/staff-member.ts';

const ROLES = ['operator', 'cashier', 'editor', 'auditor'] as const;

type Role = (typeof ROLES)[number];
type Texts = typeof en;
type Call = [method: 'POST' | 'PUT' | 'PATCH', path: string, data?: unknown];

/** What the calls are about: the demonstration's bitcoin, its way to roubles, and the source of a bank. */
type Ids = { bitcoin: number; pair: number };

/** A control of a screen, which of the roles may use it, and the call that it makes. */
type Control = {
  name: string;
  path: string | ((ids: Ids) => string);
  /** What everybody sees there, once the screen is loaded. */
  shown: (page: Page, texts: Texts) => Locator;
  control: (page: Page, texts: Texts) => Locator;
  may: readonly Role[];
  call: (ids: Ids) => Call;
};

const button = (page: Page, name: string | RegExp) =>
  page
    .getByRole('main')
    .getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })
    .first();

/** The button of a row: its label and the row's name. */
const rowButton = (page: Page, label: string) => button(page, new RegExp(`^${label}: `));

const text = { ru: 'Новая', en: 'New' };
const NEW_CURRENCY = {
  code: 'NEWCOIN',
  ticker: 'NEW',
  name: text,
  network: text,
  kind: 'crypto',
  icon: 'btc',
  scale: 8,
  roundCalculator: 8,
  inputs: [{ name: 'address', kind: 'btc', label: text, required: true, send: false, receive: true }],
  send: true,
  receive: true,
};
const SOURCE = { revision: 0, enabled: true, everySeconds: 30, maxAgeSeconds: 120, priority: 1, crossCheck: false };
const ROUTE = { revision: 0, driver: 'sandbox-chain', enabled: true, confirmations: 2 };
const ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';

const CONTROLS: Control[] = [
  {
    name: 'set a rate source up',
    path: '/rates',
    shown: (page, { live }) => page.getByRole('heading', { name: live.sources }),
    control: (page, { action }) => rowButton(page, action.setUp),
    may: ['editor'],
    call: () => ['PUT', '/rates/sources/kraken', SOURCE],
  },
  {
    name: 'switch a rate source on',
    path: '/rates',
    shown: (page, { live }) => page.getByRole('heading', { name: live.sources }),
    control: (page, { action }) => rowButton(page, action.enable),
    may: [],
    call: () => ['PATCH', '/plugins/kraken', { revision: 0, enabled: true }],
  },
  {
    name: 'change the rate rules of a direction',
    path: ({ pair }) => `/pairs?pair=${pair}`,
    shown: (page, { live }) => page.getByText(live.ourRate, { exact: true }),
    control: (page, { live }) => button(page, live.rules),
    may: ['editor'],
    call: ({ pair }) => ['PUT', `/rates/pairs/${pair}`, { revision: 0, rules: { jumpPercent: '5' } }],
  },
  {
    name: 'move a reserve',
    path: '/reserves',
    shown: (page, { reserves }) => rowButton(page, reserves.movements),
    control: (page, { action }) => rowButton(page, action.edit),
    may: ['cashier'],
    call: ({ bitcoin }) => [
      'POST',
      `/reserves/${bitcoin}/movements`,
      { amount: '0.1', reason: 'deposit', note: 'Bought at the market' },
    ],
  },
  {
    name: 'send a test email',
    path: '/mail',
    shown: (page, { mail }) => page.getByRole('group', { name: mail.view }),
    control: (page, { mail }) => button(page, mail.test),
    may: ['operator', 'cashier'],
    call: () => ['POST', '/mail/test'],
  },
  {
    name: 'name the exchange, which is the first step of the set-up',
    path: '/brand',
    shown: (page, { brand }) => page.getByLabel(brand.fields.siteName, { exact: true }),
    control: (page, { brand }) => page.getByLabel(brand.fields.siteName, { exact: true }),
    may: ['editor'],
    call: () => ['PUT', '/settings', { 'claims.confirm_minutes': '20' }],
  },
  {
    name: 'watch a currency with a payment plugin',
    path: '/payments',
    shown: (page, { payments }) => page.getByRole('cell').filter({ hasText: payments.off }).first(),
    control: (page, { payments }) => button(page, payments.add),
    may: [],
    call: ({ bitcoin }) => ['PUT', `/payments/routes/${bitcoin}`, ROUTE],
  },
  {
    name: 'switch a payment plugin on',
    path: '/plugins',
    shown: (page, { state }) => page.getByLabel(new RegExp(`^${state.on}: `)).first(),
    control: (page, { state }) => page.getByLabel(new RegExp(`^${state.on}: `)).first(),
    may: [],
    call: () => ['PATCH', '/plugins/sandbox-chain', { revision: 1, enabled: false }],
  },
  {
    name: 'add payment details',
    path: '/requisites',
    shown: (page) => page.getByText(ADDRESS).first(),
    control: (page, { requisites }) => button(page, requisites.add),
    may: ['cashier'],
    call: ({ bitcoin }) => ['POST', '/requisites', { currencyId: bitcoin, value: ADDRESS }],
  },
  {
    name: 'add a currency',
    path: '/currencies?new',
    shown: (page) => page.getByRole('cell', { name: 'SBERRUB' }),
    control: (page, { newCurrency }) => page.getByRole('dialog', { name: newCurrency.title }),
    may: ['editor'],
    call: () => ['POST', '/currencies', NEW_CURRENCY],
  },
  {
    name: 'create directions',
    path: '/pairs?new',
    shown: (page) => button(page, /BTC → SBERRUB/),
    control: (page, { newPairs }) => page.getByRole('dialog', { name: newPairs.title }),
    may: ['editor'],
    call: ({ bitcoin }) => ['POST', '/pairs', { giveIds: [bitcoin], receiveIds: [bitcoin], set: { enabled: false } }],
  },
];

// A source that is off changes no rate.
test.beforeAll(async ({ request }) => {
  const owner = await StaffApi.signIn(request);
  const sources: { name: string; revision: number }[] = await owner.call('GET', '/rates/sources');
  const revision = sources.find(({ name }) => name === 'kraken')?.revision ?? 0;
  await owner.call('PUT', '/rates/sources/kraken', { ...SOURCE, revision, enabled: false });
});

for (const [index, { locale }] of locales.entries()) {
  const { name, width, height } = screens[index % screens.length] ?? screens[0];
  for (const role of ROLES) {
    test.describe(`the console of the ${role}, ${locale}, ${name}`, () => {
      test.use({ viewport: { width, height }, locale });

      test('has the controls that they may use, and the server refuses the others', async ({ page, request }) => {
        const errors = consoleErrors(page);
        const credentials = await join(request, role, locale);
        const admin = new Console(page, locale, credentials);
        await admin.open();
        await admin.signIn();
        const member = await StaffApi.signIn(request, credentials);
        const { id: pair, giveId: bitcoin } = await member.pair('BTC', 'SBERRUB');
        for (const { name: what, path, shown, control, may, call } of CONTROLS) {
          await test.step(what, async () => {
            await page.goto(`/admin${typeof path === 'string' ? path : path({ bitcoin, pair })}`);
            if (may.includes(role)) return expect(control(page, admin.texts)).toBeEnabled();
            await expect(shown(page, admin.texts)).toBeVisible();
            await expectNoOverflow(page);
            for (const unusable of await control(page, admin.texts).all()) await expect(unusable).toBeDisabled();
            expect(await member.refusal(...call({ bitcoin, pair }))).toEqual({ status: 403, code: 'forbidden' });
          });
        }
        expect(errors).toEqual([]);
      });
    });
  }
}
