import type { CaptchaProvider } from '../api/types';
import type { Locale } from '../i18n/locale';
import { trusted } from '../trusted';

/** How a widget is drawn; the providers agree on these names. */
export interface WidgetOptions {
  sitekey: string;
  theme: 'light' | 'dark';
  /** The language, where the provider is told it here and not in the script's address. */
  language: Locale;
  callback: (answer: string) => void;
  'error-callback': () => void;
}

/** What a provider's script brings. */
export interface Widgets {
  render(place: HTMLElement, options: WidgetOptions): unknown;
}

const READY = 'agioCaptchaReady';

const SCRIPTS: Record<CaptchaProvider, { address: string; name: string }> = {
  recaptcha: { address: 'https://www.google.com/recaptcha/api.js', name: 'grecaptcha' },
  hcaptcha: { address: 'https://js.hcaptcha.com/1/api.js', name: 'hcaptcha' },
  turnstile: { address: 'https://challenges.cloudflare.com/turnstile/v0/api.js', name: 'turnstile' },
};

let loading: Promise<Widgets> | null = null;

/** The provider's widgets; its script is loaded when it is first needed, and again after it could not be. */
export function widgetsOf(provider: CaptchaProvider, locale: Locale): Promise<Widgets> {
  loading ??= load(provider, locale).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

function load(provider: CaptchaProvider, locale: Locale): Promise<Widgets> {
  const { address, name } = SCRIPTS[provider];
  const page = window as unknown as Record<string, unknown>;
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    page[READY] = () => resolve(page[name] as Widgets);
    script.src = trusted.createScriptURL(`${address}?render=explicit&onload=${READY}&hl=${locale}`);
    script.async = true;
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error(`${address} does not load`));
    });
    document.head.append(script);
  });
}
