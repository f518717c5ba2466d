import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { wholeBrowser } from '../support/browser.ts';
import { dictionary, type Locale, locales } from '../support/dictionary.ts';
import { expectNoOverflow } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

test.use({ launchOptions: wholeBrowser });

/** What a push service would give the browser, which reaches none here: it lasts as long as the tab. */
function stubPushManager(): void {
  const key = 'subscribed-with';
  const subscription = {
    toJSON: () => ({
      endpoint: 'https://push.example/wpush/v2/gAAAAABl',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    }),
    unsubscribe: async () => {
      sessionStorage.removeItem(key);
      return true;
    },
  } as unknown as PushSubscription;
  PushManager.prototype.getSubscription = async () => (sessionStorage.getItem(key) ? subscription : null);
  PushManager.prototype.subscribe = async (options) => {
    sessionStorage.setItem(key, String(options?.applicationServerKey));
    return subscription;
  };
}

/** Delivers a message to the service worker as a push service does. */
async function deliver(context: BrowserContext, page: Page, message: object): Promise<void> {
  const devtools = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  const { origin } = new URL(page.url());
  const registrationId = await registered;
  await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) });
  await devtools.detach();
}

const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, data }));
  });

async function openClaim(page: Page, locale: Locale): Promise<string> {
  const visitor = new Visitor(page, locale);
  await visitor.fillIn();
  await visitor.submit();
  const id = await visitor.confirm();
  const root = locales.find((one) => one.locale === locale)?.root ?? '';
  await page.goto(`${root}/claim/${id}`);
  await page.evaluate(() => navigator.serviceWorker.ready);
  return `${root}/claim/${id}`;
}

for (const [at, { locale }] of locales.entries()) {
  const push = dictionary(locale, 'push');
  const text = (key: string) => push[key] as string;

  test.describe(`notifications in the browser, ${locale}`, () => {
    test.use({ serviceWorkers: 'allow', viewport: { width: at === 0 ? 320 : 1280, height: 800 } });

    test('are turned on, shown by the service worker and turned off', async ({ page, context }) => {
      await context.grantPermissions(['notifications']);
      await page.addInitScript(stubPushManager);
      const claim = await openClaim(page, locale);
      await expect(page.getByRole('article').getByText(text('claim.off'))).toBeVisible();
      await page.getByRole('button', { name: text('turnOn') }).click();
      await expect(page.getByRole('article').getByText(text('claim.on'))).toBeVisible();
      await expectNoOverflow(page);
      const key = await page.evaluate(async () => (await (await fetch('/api/v1/push/key/')).json()).key);
      expect(await page.evaluate(() => sessionStorage.getItem('subscribed-with'))).toBe(key);

      const message = { title: 'Paid', body: 'Open', path: claim, tag: 'a', language: locale, event: 1 };
      const notification = {
        title: 'Paid',
        body: 'Open',
        tag: 'a',
        lang: locale,
        data: { path: claim, event: 1 },
      };
      // The browser drops what comes while the worker is not ready for it.
      await expect(async () => {
        await deliver(context, page, message);
        await expect.poll(() => shown(page), { timeout: 2_000 }).toEqual([notification]);
      }).toPass();
      // A newer one takes its place.
      await deliver(context, page, { ...message, title: 'Completed', event: 2 });
      const newer = { ...notification, title: 'Completed', data: { path: claim, event: 2 } };
      await expect.poll(() => shown(page)).toEqual([newer]);

      await page.reload();
      await expect(page.getByRole('article').getByText(text('claim.on'))).toBeVisible();
      await page.getByRole('button', { name: text('turnOff') }).click();
      await expect(page.getByRole('article').getByText(text('claim.off'))).toBeVisible();
      expect(
        await page.evaluate(() => [sessionStorage.getItem('subscribed-with'), localStorage.getItem('agio.push')]),
      ).toEqual([null, null]);
    });

    test('say what to do where the browser refuses them, and what went wrong', async ({ page, context }) => {
      await page.addInitScript(() => {
        Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
      });
      const claim = await openClaim(page, locale);
      await expect(page.getByRole('article').getByText(text('denied'))).toBeVisible();
      await expect(page.getByRole('button', { name: text('turnOn') })).toBeHidden();

      await context.grantPermissions(['notifications']);
      const other = await context.newPage();
      await other.addInitScript(() => {
        PushManager.prototype.subscribe = () => Promise.reject(new DOMException('no push service', 'AbortError'));
      });
      await other.goto(claim);
      await other.getByRole('button', { name: text('turnOn') }).click();
      await expect(other.getByRole('alert').filter({ hasText: text('failed') })).toBeVisible();
      await expect(other.getByRole('button', { name: text('turnOn') })).toBeEnabled();
    });

    test('are not offered where there are none', async ({ page }) => {
      await page.addInitScript(() => {
        Reflect.deleteProperty(window, 'PushManager');
      });
      await openClaim(page, locale);
      await expect(page.getByRole('article').getByText(text('claim.off'))).toBeHidden();
      await expect(page.getByRole('article').getByText(text('install'))).toBeHidden();
    });
  });
}
