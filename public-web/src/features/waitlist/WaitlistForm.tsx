import { inverse } from '@agio/client/decimal';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client';
import { answerTo } from '../../captcha/captcha';
import { unitOf } from '../../components/amounts';
import { Field } from '../../components/Field';
import { EmailField } from '../../forms/EmailField';
import { Failure } from '../../forms/Failure';
import { SubmitButton } from '../../forms/SubmitButton';
import { useForm } from '../../forms/useForm';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import styles from './waitlist.module.css';

const RATE_DIGITS = 18;

interface Direction {
  /** Codes of the currencies. */
  give: string;
  receive: string;
}

interface Sides {
  giveTicker: string;
  receiveTicker: string;
  /** Whether the rate is for one unit of the received currency, as the site shows it. */
  isInverted: boolean;
}

/** Takes an email address, and what to wait for. */
export function WaitlistForm({ give, receive }: Direction) {
  const t = useT('waitlist');
  const locale = useLocale();
  const sides = useSides(give, receive);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that opened the form is gone.
  useEffect(() => heading.current?.focus(), []);
  const check = (value: string) => (toDecimal(value) === null ? t('not_a_number') : null);
  const form = useForm({
    initial: { email: '', amount: '', rate: '' },
    optional: ['amount', 'rate'],
    checks: { amount: (value) => value.trim() && check(value), rate: (value) => value.trim() && check(value) },
    meaning: (error) => {
      const met = error.fieldMessages().give;
      return met ? { email: met } : null;
    },
    send: async (values) => {
      const email = values.email.trim();
      const [amount, rate] = [toDecimal(values.amount), toDecimal(values.rate)];
      const wanted = rate !== null && sides?.isInverted ? inverse(rate, RATE_DIGITS) : rate;
      const recaptcha = (await answerTo(locale, await call(locale, 'GET /waitlist/captcha/', {}))) ?? '';
      await call(locale, 'POST /waitlist/', {
        body: { email, give, receive, ...(amount && { amount }), ...(wanted && { rate: wanted }), recaptcha },
      });
      setSentTo(email);
    },
  });
  if (sentTo !== null) {
    return (
      <div className={styles.form} role="status">
        <h2>{t('sent')}</h2>
        <p>{t('sent_text', { email: sentTo })}</p>
      </div>
    );
  }
  const [one, other] = sides?.isInverted
    ? [sides.receiveTicker, sides.giveTicker]
    : [sides?.giveTicker ?? '', sides?.receiveTicker ?? ''];
  return (
    <form className={styles.form} noValidate onSubmit={form.submit} aria-labelledby="waitlist">
      <h2 id="waitlist" ref={heading} tabIndex={-1}>
        {t('heading')}
      </h2>
      <p className="muted">{t('lead')}</p>
      <EmailField {...form.field('email')} label={t('email')} />
      {sides ? (
        <>
          <Field
            {...form.field('amount')}
            label={t('amount', { unit: unitOf(sides.receiveTicker) })}
            hint={t('amount_hint')}
            inputMode="decimal"
            autoComplete="off"
          />
          <Field
            {...form.field('rate')}
            label={t(sides.isInverted ? 'rate_most' : 'rate_least', { one: unitOf(one), other: unitOf(other) })}
            hint={t('rate_hint')}
            inputMode="decimal"
            autoComplete="off"
          />
        </>
      ) : null}
      <Failure text={form.failure} />
      <SubmitButton busy={form.busy}>{t('send')}</SubmitButton>
    </form>
  );
}

/** The tickers, and which way round the site shows the rate; null until they are known. */
function useSides(give: string, receive: string): Sides | null {
  const locale = useLocale();
  const [sides, setSides] = useState<Sides | null>(null);
  useEffect(() => {
    let current = true;
    const load = async () => {
      const { directions } = await call(locale, 'GET /calculator/', {});
      const [from, to] = [give, receive].map((code) => directions.find((direction) => direction.code === code));
      if (!from || !to) return;
      // A direction that is closed has no rate to turn round.
      const path = { from: from.id, to: to.id };
      const pair = await call(locale, 'GET /calculator/pair/{from}/{to}/', { path, quiet: true }).catch(() => null);
      const isInverted = pair ? /^0\.0*[1-9]/.test(pair.course) : from.kind !== 'crypto' && to.kind === 'crypto';
      if (current) setSides({ giveTicker: from.ticker, receiveTicker: to.ticker, isInverted });
    };
    load().catch(console.error);
    return () => {
      current = false;
    };
  }, [locale, give, receive]);
  return sides;
}

/** What was typed as a decimal: spaces between digits and a comma are understood. Null for anything else. */
export function toDecimal(typed: string): string | null {
  const text = typed.replace(/\s/g, '').replace(',', '.');
  return /^\d+(\.\d+)?$/.test(text) ? text : null;
}
