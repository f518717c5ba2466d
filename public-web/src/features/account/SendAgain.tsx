import { useState } from 'react';
import { call } from '../../api/client';
import { errorText } from '../../api/errors';
import { withCaptcha } from '../../captcha/withCaptcha';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';

/** Sends the activation link again; to the signed-in customer where no address is given. */
export function SendAgain({ email }: { email?: string }) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const [message, setMessage] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (busy) return;
    setBusy(true);
    try {
      const { notification } = await withCaptcha(locale, 'reactivate', (answer) =>
        call(locale, 'POST /users/reactivate/', { body: { ...(email && { email }), ...answer } }),
      );
      setMessage(notification.message);
    } catch (error) {
      console.error(error);
      setMessage(errorText(error, common));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <button type="button" className="linkbtn" aria-disabled={busy || undefined} onClick={send}>
        {busy ? t('busy') : t('sent.again')}
      </button>
      <p aria-live="polite" className="small muted">
        {message}
      </p>
    </div>
  );
}
