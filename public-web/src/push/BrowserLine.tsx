import { useEffect, useState } from 'react';
import { Button } from '../components/Button';
import { announce } from '../components/toasts';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { Line } from './Line';
import {
  isStillOn,
  nameOf,
  type PushState,
  type PushTarget,
  rememberedPush,
  turnOff,
  turnOn,
} from './pushSubscription';
import { useChange } from './useChange';

/** Turns notifications on and off in this browser. */
export function BrowserLine({ target }: { target: PushTarget }) {
  const t = useT('push');
  const about = target === 'account' ? 'account' : 'claim';
  const locale = useLocale();
  const [state, setState] = usePush(target);
  const { busy, failure, change } = useChange(t('failed'));
  if (state === 'denied' || state === 'install') return <Line text={t(state)} />;
  const isOn = state === 'on';
  const turn = async () => {
    const next = await (isOn ? turnOff : turnOn)(locale, target);
    setState(next);
    if (next === 'on') announce(t(`${about}.on`));
    else if (next === 'denied') announce(t(next));
  };
  return (
    <Line text={failure ?? t(isOn ? `${about}.on` : `${about}.off`)} isFailure={failure !== null}>
      <Button
        look={isOn ? 'quiet' : 'plain'}
        aria-busy={busy}
        aria-disabled={busy || undefined}
        onClick={() => change(turn)}
      >
        {t(isOn ? 'turnOff' : 'turnOn')}
      </Button>
    </Line>
  );
}

function usePush(target: PushTarget) {
  const locale = useLocale();
  const [state, setState] = useState<PushState>(() => rememberedPush(target));
  const name = nameOf(target);

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
  return [state, setState] as const;
}
