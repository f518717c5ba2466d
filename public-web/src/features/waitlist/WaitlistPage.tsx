import { ApiError } from '@agio/client/problem';
import { useCallback, useState } from 'react';
import { useParams } from 'react-router';
import { call } from '../../api/client';
import { errorText } from '../../api/errors';
import type { WaitlistEntry } from '../../api/types';
import { useAnswer } from '../../api/useAnswer';
import { moneyText, rateText } from '../../components/amounts';
import { Button, ButtonLink } from '../../components/Button';
import { Head } from '../../components/Head';
import { LoadFailure } from '../../components/LoadFailure';
import { Skeleton } from '../../components/Skeleton';
import { Failure } from '../../forms/Failure';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { useSite } from '../../site';
import styles from './waitlist.module.css';

/** What the links of the emails lead to: confirm the address, or unsubscribe. */
export function Component() {
  const t = useT('waitlist');
  const locale = useLocale();
  const { siteName } = useSite();
  const { id = '' } = useParams();
  const load = useCallback(async () => {
    try {
      return await call(locale, 'GET /waitlist/{id}/', { path: { id } });
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return null;
      throw error;
    }
  }, [locale, id]);
  const [answer, again] = useAnswer(load);
  return (
    <>
      <Head title={`${t('title')} | ${siteName}`} />
      <div className={`wrap ${styles.page}`}>
        {answer.state === 'loading' ? <Skeleton isOpen className={styles.blank} /> : null}
        {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
        {answer.state === 'ready' ? <Entry id={id} loaded={answer.value} /> : null}
      </div>
    </>
  );
}

function Entry({ id, loaded }: { id: string; loaded: WaitlistEntry | null }) {
  const t = useT('waitlist');
  const common = useT('common');
  const locale = useLocale();
  const paths = usePaths();
  const [entry, setEntry] = useState(loaded);
  const [isLeft, setLeft] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const act = async (action: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await action();
    } catch (error) {
      setFailure(errorText(error, common));
    } finally {
      setBusy(false);
    }
  };
  const confirm = () => act(async () => setEntry(await call(locale, 'POST /waitlist/{id}/confirm/', { path: { id } })));
  const leave = () =>
    act(async () => {
      await call(locale, 'POST /waitlist/{id}/unsubscribe/', { path: { id } });
      setLeft(true);
    });
  if (isLeft || !entry) {
    return (
      <div className={styles.form} role="status">
        <h1>{t(isLeft ? 'left' : 'gone')}</h1>
        <p className="muted">{t(isLeft ? 'left_text' : 'gone_text')}</p>
        <div className={styles.actions}>
          <ButtonLink to={paths.home()}>{t('home')}</ButtonLink>
        </div>
      </div>
    );
  }
  const { state, giveName, receiveName, giveTicker, receiveTicker, amount, rate } = entry;
  const facts = [
    [t('direction'), `${giveName} → ${receiveName}`],
    ...(amount ? [[t('fact_amount'), moneyText(amount, receiveTicker, locale)]] : []),
    ...(rate ? [[t('fact_rate'), rateText(rate, giveTicker, receiveTicker, locale)]] : []),
  ] as const;
  return (
    <div className={styles.form}>
      <h1>{t(`state_${state}`)}</h1>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label} className={styles.fact}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="muted" role="status">
        {t(`text_${state}`)}
      </p>
      <Failure text={failure} />
      <div className={styles.actions}>
        {state === 'pending' ? (
          <Button look="main" aria-disabled={isBusy || undefined} onClick={confirm}>
            {t('confirm')}
          </Button>
        ) : null}
        {state === 'notified' ? (
          <ButtonLink look="main" to={paths.home({ cur_from: entry.give, cur_to: entry.receive })}>
            {t('exchange')}
          </ButtonLink>
        ) : null}
        <Button aria-disabled={isBusy || undefined} onClick={leave}>
          {t('unsubscribe')}
        </Button>
      </div>
    </div>
  );
}
