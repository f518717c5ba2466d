import type { Messenger } from '../api/types';
import { Button } from '../components/Button';
import { useT } from '../i18n/texts';
import { Line } from './Line';
import type { PushTarget } from './pushSubscription';

/** Keeps the place of a messenger's line, so that nothing moves when it comes. */
export function MessengerSpacer({ target, messenger }: { target: PushTarget; messenger: Messenger }) {
  const t = useT('push');
  const about = target === 'account' ? 'account' : 'claim';
  const title = { messenger: messenger.title };
  return (
    <Line text={t(`messenger.${about}.off`, title)} isSpacer>
      <Button>{t('messenger.connect', title)}</Button>
    </Line>
  );
}
