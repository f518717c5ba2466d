import type { CaptchaProvider } from '../api/types';
import type { Locale } from '../i18n/locale';
import { trusted } from '../trusted';

/** Options of a widget; all providers have these names. */
export interface WidgetOptions {
  sitekey: string;
  theme: 'light' | 'dark';
  /** The language, where the provider does not take it from the script's address. */
  language: Locale;
  callback: (answer: string) => void;
  'error-callback': () => void;
}

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

/** The provider's widgets; the script is loaded when first needed, and again after a failure. */
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
