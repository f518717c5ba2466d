import { useState } from 'react';
import { call } from '../../../api/client';
import type { Customer } from '../../../api/types';
import { Button } from '../../../components/Button';
import { Icon } from '../../../components/Icon';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { renewCustomer } from '../../../session/tabSession';
import { Confirmation } from './Confirmation';
import { RecoveryCodes } from './RecoveryCodes';
import { SetUpApp } from './SetUpApp';
import styles from './settings.module.css';

type Doing = { kind: 'nothing' | 'setUp' | 'remove' | 'renew' } | { kind: 'codes'; codes: string[] };

const NOTHING: Doing = { kind: 'nothing' };

export function SecondFactor({ customer }: { customer: Customer }) {
  const t = useT('account');
  const locale = useLocale();
  const [doing, setDoing] = useState<Doing>(NOTHING);
  const cancel = () => setDoing(NOTHING);
  const show = async (codes: string[]) => {
    setDoing({ kind: 'codes', codes });
    await renewCustomer(locale);
  };
  switch (doing.kind) {
    case 'setUp':
      return <SetUpApp email={customer.email} onDone={show} onCancel={cancel} />;
    case 'codes':
      return <RecoveryCodes codes={doing.codes} email={customer.email} onSaved={cancel} />;
    case 'renew':
      return (
        <Confirmation
          withCode
          button={t('code.renew')}
          onCancel={cancel}
          send={async ({ password, code = '' }) => {
            const answer = await call(locale, 'POST /users/me/totp/recovery/', { body: { password, code } });
            await show(answer.recoveryCodes);
          }}
        >
          <p>{t('code.renew_text')}</p>
        </Confirmation>
      );
    case 'remove':
      return (
        <Confirmation
          withCode
          button={t('code.turn_off')}
          onCancel={cancel}
          send={async ({ password, code = '' }) => {
            await call(locale, 'POST /users/me/totp/remove/', { body: { password, code } });
            await renewCustomer(locale);
            cancel();
            toast(t('code.is_off_now'));
          }}
        >
          <p>{t('code.off_text')}</p>
        </Confirmation>
      );
    case 'nothing':
      return customer.totp ? (
        <TurnedOn left={customer.recoveryCodes} onDo={setDoing} />
      ) : (
        <TurnedOff activated={customer.activated} onTurnOn={() => setDoing({ kind: 'setUp' })} />
      );
  }
}

function TurnedOn({ left, onDo }: { left: number; onDo: (doing: Doing) => void }) {
  const t = useT('account');
  return (
    <>
      <p className={styles.state}>
        <Icon name="check" />
        {t('code.is_on')}
      </p>
      <p className="muted">{t('code.left', { count: left })}</p>
      <div className={styles.buttons}>
        <Button onClick={() => onDo({ kind: 'renew' })}>{t('code.renew')}</Button>
        <Button onClick={() => onDo({ kind: 'remove' })}>{t('code.turn_off')}</Button>
      </div>
    </>
  );
}

function TurnedOff({ activated, onTurnOn }: { activated: boolean; onTurnOn: () => void }) {
  const t = useT('account');
  return (
    <>
      <p>{t('code.text')}</p>
      {activated ? <Button onClick={onTurnOn}>{t('code.turn_on')}</Button> : <p>{t('code.not_activated')}</p>}
    </>
  );
}
