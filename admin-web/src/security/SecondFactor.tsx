import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useNotify } from 'react-admin';
import { api, session, useSession } from '../api/index.ts';
import { Button, useTexts } from '../ui/index.ts';
import { PasswordDialog } from './PasswordDialog.tsx';
import css from './Security.module.css';
import { RecoveryCodes, SetUp } from './SetUp.tsx';

type Doing = { what: 'begin' | 'renew' | 'remove' } | { begun: Schema<'TotpSecretView'> } | { codes: string[] } | null;

/** The second factor: whether there is one, and turning it on, over, or off. */
export function SecondFactor() {
  const { t } = useTexts();
  const user = useSession();
  const notify = useNotify();
  const [doing, setDoing] = useState<Doing>(null);
  if (!user) return null;
  const { secondFactor: on, secondFactorRequired: required, recoveryCodes: left } = user;
  const removal = required ? 'move' : 'remove';
  const close = () => setDoing(null);
  // The next token carries the new state of the account.
  const done = async (message: string) => {
    close();
    await session.refresh();
    notify(message, { type: 'info' });
  };
  return (
    <section className={css.section} aria-labelledby="factor">
      <h2 id="factor" className={css.heading}>
        {t('security.factor')}
      </h2>
      <p className={css.state}>
        <span className={on ? css.on : css.off}>{t(on ? 'state.on' : 'state.off')}</span>
        <span className={css.muted}>{t(on ? 'security.onText' : 'security.offText')}</span>
      </p>
      {on && (
        <p className={left > 2 ? css.muted : css.off}>
          {left > 0 ? t('security.left', { smart_count: left }) : t('security.noneLeft')}
        </p>
      )}
      <div className={css.buttons} hidden={doing !== null && !('what' in doing)}>
        {!on && (
          <Button variant="contained" onClick={() => setDoing({ what: 'begin' })}>
            {t('action.setUp')}
          </Button>
        )}
        {on && <Button onClick={() => setDoing({ what: 'renew' })}>{t('security.renew')}</Button>}
        {on && <Button onClick={() => setDoing({ what: 'remove' })}>{t(`security.${removal}`)}</Button>}
      </div>
      {doing && 'what' in doing && doing.what === 'begin' && (
        <PasswordDialog
          title={t('setup.title')}
          onClose={close}
          send={(password) => api.POST('/me/second-factor', { body: { password } })}
          onDone={(begun) => setDoing({ begun })}
        />
      )}
      {doing && 'what' in doing && doing.what === 'renew' && (
        <PasswordDialog
          title={t('security.renew')}
          text={t('security.renewText')}
          onClose={close}
          send={(password) => api.POST('/me/second-factor/recovery', { body: { password } })}
          onDone={({ recoveryCodes }) => setDoing({ codes: recoveryCodes })}
        />
      )}
      {doing && 'what' in doing && doing.what === 'remove' && (
        <PasswordDialog
          title={t(`security.${removal}`)}
          text={t(`security.${removal}Text`)}
          onClose={close}
          send={(password) => api.POST('/me/second-factor/remove', { body: { password } })}
          onDone={() => void done('security.turnedOff')}
        />
      )}
      {doing && 'begun' in doing && (
        <SetUp begun={doing.begun} onDone={() => void done('security.turnedOn')} onCancel={close} />
      )}
      {doing && 'codes' in doing && <RecoveryCodes codes={doing.codes} onSaved={() => void done('security.renewed')} />}
    </section>
  );
}
