import { timeText } from '@agio/client/format';
import { useEffect } from 'react';
import { useLocation, useParams } from 'react-router';
import { addressOf } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { Verification } from '../../../api/types';
import { serialText } from '../../../components/amounts';
import { Button, ButtonLink } from '../../../components/Button';
import { Head } from '../../../components/Head';
import { Notice } from '../../../components/Notice';
import { Points } from '../../../components/Points';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { openAccountDialog } from '../../../session/accountDialog';
import { useSession } from '../../../session/session';
import { useSendsEmails, useSite } from '../../../site';
import { useDay } from '../model/useFormats';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { PHOTO_TYPES } from '../upload/receiptFile';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import { Pattern } from './Pattern';
import { shrink } from './shrink';
import { useVerification } from './useVerification';
import css from './verify.module.css';

/** The verification of a card or an identity by photos. */
export function VerifyPage() {
  const t = useT('claim');
  const common = useT('common');
  const { siteName } = useSite();
  const { id = '' } = useParams();
  const [answer, again] = useVerification(id);
  return (
    <>
      <Head title={`${t('verify.title')} | ${siteName}`} />
      <div className={css.page}>
        {answer.state === 'loading' && <Skeleton isOpen />}
        {answer.state === 'failed' && (
          <div className={css.sheet} role="alert">
            <h1>{t('error.loadTitle')}</h1>
            <p>{errorText(answer.error, common)}</p>
            <div className={css.actions}>
              <Button look="main" onClick={again}>
                {t('error.retry')}
              </Button>
            </div>
          </div>
        )}
        {answer.state === 'ready' &&
          (answer.value === null ? <Missing /> : <Sheet verification={answer.value} again={again} />)}
      </div>
    </>
  );
}

export { VerifyPage as Component };

/** Unknown, or an account's verification that requires signing in. */
function Missing() {
  const t = useT('claim');
  const paths = usePaths();
  const session = useSession();
  const { pathname } = useLocation();
  const isGuest = session.phase === 'guest';
  return (
    <div className={css.sheet}>
      <h1>{t('verify.missing')}</h1>
      <p className={css.text}>{t(isGuest ? 'verify.missing_guest' : 'verify.missing_more')}</p>
      <div className={css.actions}>
        {isGuest && (
          <Button look="main" onClick={() => openAccountDialog({ kind: 'signIn', back: pathname })}>
            {t('verify.sign_in')}
          </Button>
        )}
        <ButtonLink to={paths.home()}>{t('verify.home')}</ButtonLink>
      </div>
    </div>
  );
}

function Sheet({ verification, again }: { verification: Verification; again: () => void }) {
  const t = useT('claim');
  const { claim, card, kind, state } = verification;
  return (
    <article className={css.sheet}>
      <header className={css.head}>
        {claim !== null && <p className={`${css.serial} num`}>{t('title', { number: serialText(claim.publicId) })}</p>}
        <h1>{t(state === 'asked' ? `verify.${kind}.heading` : `verify.${state}.heading`)}</h1>
        {card !== null && <p className={css.card}>{card}</p>}
      </header>
      <div aria-live="polite">
        <Progress verification={verification} />
      </div>
      {(state === 'asked' || state === 'sent') && <Sending verification={verification} again={again} />}
      <Back verification={verification} />
      <Safety verification={verification} />
    </article>
  );
}

function Progress({ verification: { state, cause, claim, reason, expiresAt } }: { verification: Verification }) {
  const t = useT('claim');
  const day = useDay();
  const hasEmails = useSendsEmails();
  return (
    <>
      {reason !== null && (state === 'asked' || state === 'rejected') && (
        <Notice tone={state === 'asked' ? 'warning' : 'danger'} title={t(`verify.${state}.reason`)}>
          <p>{reason.text}</p>
        </Notice>
      )}
      {state === 'asked' ? (
        <>
          <p className={css.text}>{cause.text}</p>
          {expiresAt !== null && (
            <p className="muted num">{t('verify.until', { time: timeText(expiresAt), day: day(expiresAt) })}</p>
          )}
        </>
      ) : (
        <p className={css.text}>
          {state === 'sent' && !hasEmails
            ? t('verify.sent.text_off')
            : t(
                claim === null && (state === 'sent' || state === 'rejected')
                  ? `verify.${state}.text_account`
                  : `verify.${state}.text`,
              )}
        </p>
      )}
    </>
  );
}

/** The instructions and the upload. */
function Sending({ verification, again }: { verification: Verification; again: () => void }) {
  const t = useT('claim');
  const locale = useLocale();
  const { id, kind, state, claim, photos, photosNeeded, photosMax } = verification;
  const address = addressOf(locale, 'POST /verify/{id}/photos/', { path: { id } });
  const upload = useReceiptUpload(address, again, { accepted: PHOTO_TYPES, prepare: shrink });
  const { remove } = upload;
  const isSent = upload.upload?.phase === 'sent';
  // Uploaded photos are in the list below.
  useEffect(() => {
    if (isSent && photos.length > 0) remove();
  }, [isSent, photos.length, remove]);
  const number = claim === null ? '' : serialText(claim.publicId);
  const points = [1, 2, 3].map((place) => t(`verify.${kind}.how.${place as 1 | 2 | 3}`, { number }));
  const isFull = photos.length >= photosMax;
  return (
    <>
      {state === 'asked' && (
        <section className={css.how}>
          <div>
            <h2>{t('verify.how')}</h2>
            <Points texts={points} />
          </div>
          <Pattern kind={kind} number={number} />
        </section>
      )}
      {!isFull && (
        <ReceiptPicker
          upload={upload}
          sent={photos}
          accepted={PHOTO_TYPES}
          main={state === 'asked'}
          title={t(`verify.${kind}.pick`)}
          hint={t('verify.pick_hint')}
        />
      )}
      {state === 'asked' && photosNeeded > 1 && (
        <p className="muted num">{t('verify.count', { sent: photos.length, needed: photosNeeded })}</p>
      )}
    </>
  );
}

function Back({ verification: { claim, state } }: { verification: Verification }) {
  const t = useT('claim');
  const paths = usePaths();
  const goesOn = state === 'accepted';
  return (
    <div className={css.actions}>
      {claim === null ? (
        <ButtonLink to={paths.settings()}>{t('verify.to_account')}</ButtonLink>
      ) : (
        <ButtonLink look={goesOn ? 'main' : 'plain'} to={paths.claimById(claim.id)}>
          {t(goesOn ? 'verify.to_payment' : 'verify.to_claim')}
        </ButtonLink>
      )}
    </div>
  );
}

function Safety({ verification: { photoDays, photos, kind } }: { verification: Verification }) {
  const t = useT('claim');
  const day = useDay();
  const last = photos.at(-1)?.deleteAfter;
  return (
    <section className={css.safe}>
      <h2>{t('verify.safe')}</h2>
      <p>{t(`verify.${kind}.safe`)}</p>
      <p>
        {last === undefined ? t('verify.deleted', { count: photoDays }) : t('verify.deleted_on', { day: day(last) })}
      </p>
    </section>
  );
}
