import { ApiError, NetworkError } from '@agio/client/problem';
import { type ReactNode, useEffect, useState } from 'react';
import { errorText } from '../api/errors';
import { Button } from '../components/Button';
import { announce } from '../components/toasts';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { useSite } from '../site';
import css from './BrowserNotifications.module.css';
import { isStillOn, type PushState, type PushTarget, rememberedPush, turnOff, turnOn } from './pushSubscription';
import { pushSupport } from './support';

interface Props {
  target: PushTarget;
  /** What stands around the line. There is none where notifications are not offered. */
  frame(line: ReactNode): ReactNode;
}

/** Turns notifications of a claim, or of the account's claims, on and off in this browser. */
export function BrowserNotifications(props: Props) {
  const { browserNotifications } = useSite();
  return browserNotifications && pushSupport() !== 'no' ? <Control {...props} /> : null;
}

function Control({ target, frame }: Props) {
  const t = useT('push');
  const about = target === 'account' ? 'account' : 'claim';
  const { state, busy, failure, change } = usePush(target);
  if (state === 'denied' || state === 'install') return frame(<Line text={t(state)} />);
  const isOn = state === 'on';
  return frame(
    <Line text={failure ?? t(isOn ? `${about}.on` : `${about}.off`)} isFailure={failure !== null}>
      <Button look={isOn ? 'quiet' : 'plain'} aria-busy={busy} aria-disabled={busy || undefined} onClick={change}>
        {t(isOn ? 'turnOff' : 'turnOn')}
      </Button>
    </Line>,
  );
}

interface LineProps {
  text: string;
  isFailure?: boolean;
  children?: ReactNode;
}

function Line({ text, isFailure = false, children }: LineProps) {
  return (
    <div className={css.line}>
      <p className={isFailure ? css.failure : css.text} role={isFailure ? 'alert' : undefined}>
        {text}
      </p>
      {children}
    </div>
  );
}

function usePush(target: PushTarget) {
  const t = useT('push');
  const common = useT('common');
  const locale = useLocale();
  const [state, setState] = useState<PushState>(() => rememberedPush(target));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const name = target === 'account' ? target : target.claim;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the target.
  useEffect(() => {
    const remembered = rememberedPush(target);
    setState(remembered);
    if (remembered !== 'on') return;
    let current = true;
    isStillOn(locale, target).then((isOn) => current && !isOn && setState('off'), console.error);
    return () => {
      current = false;
    };
  }, [locale, name]);

  const change = async () => {
    if (busy) return;
    setBusy(true);
    setFailure(null);
    try {
      const next = await (state === 'on' ? turnOff : turnOn)(locale, target);
      setState(next);
      if (next === 'on') announce(t(target === 'account' ? 'account.on' : 'claim.on'));
      else if (next === 'denied') announce(t(next));
    } catch (error) {
      const isOurs = error instanceof ApiError || error instanceof NetworkError;
      setFailure(isOurs ? errorText(error, common) : t('failed'));
    } finally {
      setBusy(false);
    }
  };
  return { state, busy, failure, change: () => void change() };
}
