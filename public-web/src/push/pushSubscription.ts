import { ApiError } from '@agio/client/problem';
import { call } from '../api/client';
import type { Locale } from '../i18n/locale';
import { forgetSubscription, keepSubscription, keptSubscriptions } from './memory';
import { pushSupport } from './support';

/** What the browser is notified of: a claim by its id, or all claims of the signed-in account. */
export type PushTarget = { claim: string } | 'account';

/** `denied`: by the browser; `install`: only on the home screen. */
export type PushState = 'off' | 'on' | 'denied' | 'install';

export const nameOf = (target: PushTarget) => (target === 'account' ? target : target.claim);

const keptId = (target: PushTarget) => keptSubscriptions().find(([name]) => name === nameOf(target))?.[1] ?? null;

export class PushUnavailable extends Error {}

async function manager(): Promise<PushManager> {
  // It is registered when the page has loaded, and where the site is served without it there is none.
  const registration = await navigator.serviceWorker.getRegistration();
  if (!registration) throw new PushUnavailable('No service worker');
  return (await navigator.serviceWorker.ready).pushManager;
}

/** How things are, as far as the browser knows by itself. */
export function rememberedPush(target: PushTarget): PushState {
  if (pushSupport() === 'install') return 'install';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && keptId(target) !== null ? 'on' : 'off';
}

/** Whether a subscription that the browser remembers is still one. */
export async function isStillOn(locale: Locale, target: PushTarget): Promise<boolean> {
  const id = keptId(target);
  if (id === null || !(await hasSubscription())) return false;
  const isKnown = await known(locale, target, id);
  if (!isKnown) forgetSubscription(nameOf(target));
  return isKnown;
}

async function hasSubscription(): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration();
  return ((await registration?.pushManager.getSubscription()) ?? null) !== null;
}

/** Whether the server still has the subscription, for this claim or this session. */
async function known(locale: Locale, target: PushTarget, subscription: string): Promise<boolean> {
  try {
    if (target === 'account')
      await call(locale, 'GET /users/me/push/{subscription}/', { path: { subscription }, quiet: true });
    else
      await call(locale, 'GET /claim/{id}/push/{subscription}/', {
        path: { id: target.claim, subscription },
        quiet: true,
      });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

/** Asks for the permission, which browsers allow only at once after a click, and subscribes. */
export async function turnOn(locale: Locale, target: PushTarget): Promise<PushState> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
  const { key } = await call(locale, 'GET /push/key/', {});
  const subscription = await subscribe(await manager(), key);
  const { endpoint, keys } = subscription.toJSON();
  const body = { endpoint: `${endpoint}`, keys: { p256dh: `${keys?.p256dh}`, auth: `${keys?.auth}` } };
  const { id } =
    target === 'account'
      ? await call(locale, 'POST /users/me/push/', { body })
      : await call(locale, 'POST /claim/{id}/push/', { path: { id: target.claim }, body });
  keepSubscription(nameOf(target), id);
  return 'on';
}

async function subscribe(push: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await push.subscribe(options);
  } catch (error) {
    // The browser is subscribed with a former key of the server.
    const former = await push.getSubscription();
    if (former === null) throw new PushUnavailable('The browser did not subscribe', { cause: error });
    await former.unsubscribe();
    return push.subscribe(options);
  }
}

/** Ends a subscription; one that the server no longer has is over already. */
export async function unsubscribe(locale: Locale, target: PushTarget, subscription: string): Promise<void> {
  try {
    if (target === 'account') await call(locale, 'DELETE /users/me/push/{subscription}/', { path: { subscription } });
    else await call(locale, 'DELETE /claim/{id}/push/{subscription}/', { path: { id: target.claim, subscription } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

export async function turnOff(locale: Locale, target: PushTarget): Promise<PushState> {
  const subscription = keptId(target);
  if (subscription !== null) await unsubscribe(locale, target, subscription);
  forgetSubscription(nameOf(target));
  if (keptSubscriptions().length === 0) {
    const registration = await navigator.serviceWorker.getRegistration();
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  }
  return 'off';
}
