// @vitest-environment happy-dom
import { pushSupport } from './support';

const define = (object: object, values: Record<string, unknown>) => {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(object, name, { value, configurable: true });
};

const forget = (object: object, ...names: string[]) => {
  for (const name of names) Reflect.deleteProperty(object, name);
};

beforeEach(() => {
  forget(window, 'PushManager', 'Notification');
  forget(navigator, 'serviceWorker', 'standalone', 'maxTouchPoints');
});

test('a browser with push services can be subscribed', () => {
  define(window, { PushManager: class {}, Notification: class {} });
  define(navigator, { serviceWorker: {} });
  expect(pushSupport()).toBe('yes');
});

test('an iPhone can be once the site is on its home screen, and other browsers without them cannot', () => {
  expect(pushSupport()).toBe('no');
  define(navigator, { standalone: false, maxTouchPoints: 5, serviceWorker: {} });
  expect(pushSupport()).toBe('install');
  define(navigator, { standalone: true });
  expect(pushSupport()).toBe('no');
  define(navigator, { standalone: false, maxTouchPoints: 0 });
  expect(pushSupport()).toBe('no');
});
