import { ApiError } from '@agio/client/problem';
import { createRoot } from 'react-dom/client';
import type { CaptchaProvider } from '../api/types';
import { type Locale, LocaleContext } from '../i18n/locale';
import { createTexts, loadTexts, TextsContext, translator } from '../i18n/texts';
import { ProviderWidget } from './ProviderWidget';

/**
 * Shows the widget of the operator's captcha provider; gives the token for `recaptcha`. A token is valid once, so each
 * needs a widget of its own.
 */
export async function solveByProvider(locale: Locale, provider: CaptchaProvider, siteKey: string): Promise<string> {
  const texts = await createTexts(locale);
  await loadTexts(texts, 'captcha');
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  const comeBack = stepBack();
  try {
    return await new Promise<string>((resolve, reject) => {
      const detail = translator(texts, 'captcha')('closed');
      const close = () => reject(new ApiError({ status: 0, title: '', detail, code: 'captcha_closed' }, null));
      root.render(
        <TextsContext value={texts}>
          <LocaleContext value={locale}>
            <ProviderWidget provider={provider} siteKey={siteKey} onAnswer={resolve} onClose={close} />
          </LocaleContext>
        </TextsContext>,
      );
    });
  } finally {
    root.unmount();
    place.remove();
    comeBack();
  }
}

/** Makes the page and its dialogs inert; gives what restores them. */
function stepBack(): () => void {
  const page = document.getElementById('root');
  const focused = document.activeElement;
  const dialogs = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')];
  for (const dialog of dialogs) {
    dialog.close();
  }
  page?.setAttribute('inert', '');
  return () => {
    page?.removeAttribute('inert');
    for (const dialog of dialogs.filter((dialog) => dialog.isConnected)) {
      dialog.showModal();
    }
    if (focused instanceof HTMLElement) {
      focused.focus();
    }
  };
}
