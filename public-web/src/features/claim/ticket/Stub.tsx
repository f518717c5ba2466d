import { useState } from 'react';
import type { ClaimForm } from '../../../api/types';
import { serialText } from '../../../components/amounts';
import { Rosette } from '../../../components/Guilloche';
import { Micro } from '../../../components/Micro';
import { announce } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import type { ShownState } from '../../../openClaims/progress';
import { inLocale } from '../../../paths';
import { useSite } from '../../../site';
import type { Line } from '../line/statusStream';
import { finalPageOf, isReturningSurplus } from '../model/presentation';
import { useAmount, useRate, whereTo } from '../model/useFormats';
import { useIsOver } from './Deadline';
import { Stamp } from './Stamp';
import css from './Stub.module.css';

interface Props {
  form: ClaimForm;
  state: ShownState;
  termsEnd: string | null;
  line: Line;
  /** The claim's address on any device. */
  link: string;
  /** When the exchange was completed; shows the stamp. */
  completedAt: string | null;
}

/** The stub of the ticket: the terms, and the claim's address. */
export function Stub({ form, state, termsEnd, line, link, completedAt }: Props) {
  const t = useT('claim');
  const amount = useAmount();
  const rate = useRate()(form);
  const ending = endingOf(state);
  const isRateOver = useIsOver(termsEnd);
  return (
    <aside className={css.stub} data-stamped={completedAt !== null} aria-label={t('stub.label')}>
      <div className={css.prints} aria-hidden="true">
        <Rosette from={form.from} to={form.to} className={css.rosette} />
        {completedAt !== null && <Stamp at={completedAt} />}
      </div>
      <p className={css.small}>{t('stub.claim')}</p>
      <p className={css.serial}>№&nbsp;{serialText(form.publicId)}</p>
      <Micro className={css.micro} text={`${form.from.code} ${form.to.code} ${form.publicId} · `} />
      <dl className={css.facts}>
        <Fact name={t(`stub.send${ending}`)} value={amount(form.from.amount, form.from)} large />
        <Fact name={t(receiveKey(form, state))} value={amount(form.to.amount, form.to)} large />
        <Fact name={t('stub.where')} value={whereTo(form.to)} />
        <Fact name={t(rateKey(form, state, isRateOver))} value={rate} />
      </dl>
      <Issuer link={link} />
      <Tail form={form} line={line} link={link} isFinal={finalPageOf(state) !== null} />
    </aside>
  );
}

/** Without an exchange the amounts are only what was agreed. */
function endingOf(state: ShownState) {
  if (state === 'completed' || isReturningSurplus(state)) return 'Done';
  return finalPageOf(state) === 'fail' || state.startsWith('refund_') ? 'Agreed' : 'Now';
}

/** States in which a floating rate waits for the payment, and those in which it may. */
const FLOATS: readonly ShownState[] = [
  'created',
  'verification',
  'awaiting_payment',
  'payment_claimed',
  'payment_seen',
];
const MAY_FLOAT: readonly ShownState[] = ['amount_mismatch', 'on_hold', 'paid'];

function receiveKey({ floating }: ClaimForm, state: ShownState) {
  return floating && FLOATS.includes(state) ? 'stub.receiveFloating' : (`stub.receive${endingOf(state)}` as const);
}

function rateKey({ floating }: ClaimForm, state: ShownState, isRateOver: boolean) {
  if (floating && FLOATS.includes(state)) return 'stub.rateFloating';
  if (floating && MAY_FLOAT.includes(state)) return 'stub.rate';
  const isAhead = state === 'created' || state === 'verification' || state === 'late_payment';
  const isUnpaid = state === 'awaiting_payment' || state === 'payment_claimed';
  return isAhead || (isUnpaid && isRateOver) || endingOf(state) === 'Agreed' ? 'stub.rate' : 'stub.rateFixed';
}

function Fact({ name, value, large = false }: { name: string; value: string; large?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={large ? css.large : undefined}>{value}</dd>
    </div>
  );
}

/** Who issued a printed ticket: the header and the footer of the site are not printed. */
function Issuer({ link }: { link: string }) {
  const { siteName, supportEmail } = useSite();
  const lines = [siteName, new URL(link).host, supportEmail].filter((line) => line !== '');
  return (
    <p className={css.issuer}>
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </p>
  );
}

function Tail({ form, line, link, isFinal }: { form: ClaimForm; line: Line; link: string; isFinal: boolean }) {
  const t = useT('claim');
  const locale = useLocale();
  const { supportEmail } = useSite();
  const subject = encodeURIComponent(t('stub.mailSubject', { number: form.publicId }));
  // Readable versions are numbers; claims made by the API may have others.
  const version = /^\d{1,9}$/.exec(form.termsVersion ?? '')?.[0];
  return (
    <div className={css.tail}>
      <CopyLink link={link} />
      {supportEmail !== '' && (
        <a className={css.link} href={`mailto:${supportEmail}?subject=${subject}`}>
          {t('stub.support')}
        </a>
      )}
      {version && (
        <a className={css.link} href={inLocale('/rules', `?version=${version}`, locale)}>
          {t('stub.rules', { version })}
        </a>
      )}
      {!isFinal && (
        <span className={css.live} data-line={line.state}>
          {t(lineKey(line))}
        </span>
      )}
    </div>
  );
}

export function lineKey(line: Line) {
  if (line.state !== 'dropped') return `line.${line.state}` as const;
  return line.polling ? 'line.polling' : 'line.dropped';
}

function CopyLink({ link }: { link: string }) {
  const t = useT('claim');
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(link);
    setCopied(true);
    announce(t('stub.copied'));
  };
  return (
    <button type="button" className={css.link} onClick={() => void copy()}>
      {t(copied ? 'stub.copied' : 'stub.copyLink')}
    </button>
  );
}
