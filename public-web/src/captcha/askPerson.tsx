import { createRoot } from 'react-dom/client';
import { ApiError } from '../api/errors';
import type { CaptchaProvider } from '../api/types';
import { type Locale, LocaleContext } from '../i18n/locale';
import { createTexts, loadTexts, TextsContext, voiceOf } from '../i18n/texts';
import { PersonCheck } from './PersonCheck';

/**
 * Has the visitor show the operator's provider that they are no robot; gives the word for the payload's `recaptcha`. Each answer counts
 * once, so each is got from a widget of its own.
 */
export async function askPerson(locale: Locale, provider: CaptchaProvider, siteKey: string): Promise<string> {
  const texts = await createTexts(locale);
  await loadTexts(texts, 'captcha');
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  const comeBack = stepBack();
  try {
    return await new Promise<string>((resolve, reject) => {
      const detail = voiceOf(texts, 'captcha')('closed');
      const close = () => reject(new ApiError({ status: 0, title: '', detail, code: 'captcha_closed' }, null));
      root.render(
        <TextsContext value={texts}>
          <LocaleContext value={locale}>
            <PersonCheck provider={provider} siteKey={siteKey} onAnswer={resolve} onClose={close} />
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

/** Puts the page and its dialogs out of reach; gives what brings them back as they were. */
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
