import { useState } from 'react';
import type { Direction } from '../../../api/types';
import { shorten, unitOf, writeAmount, writeMoney } from '../../../components/amounts';
import { Button } from '../../../components/Button';
import { cx } from '../../../components/cx';
import { Check, Field } from '../../../components/Field';
import { Icon } from '../../../components/Icon';
import { useLocale } from '../../../i18n/locale';
import { Trans } from '../../../i18n/Trans';
import { useT } from '../../../i18n/texts';
import { useRequisite } from '../../../requisites/useRequisite';
import { useRules } from '../../../rules/useRules';
import { useSession } from '../../../session/session';
import { usePart } from '../../../session/usePart';
import type { Calculator } from '../calculator/useCalculator';
import { type StubField, typingOf, written } from './fields';
import styles from './StubForm.module.css';
import type { Stub } from './useStub';
import type { Submission } from './useSubmission';

interface StubFormProps {
  stub: Stub;
  submission: Submission;
  calculator: Calculator;
}

const loadExtras = async () => (await import('./Extras')).Extras;

/** The stub below the perforation: where to send the money, how to reach the customer, the one thing to press. */
export function StubForm({ stub, submission, calculator }: StubFormProps) {
  const t = useT('home');
  const rules = useRules();
  const { pair, from, to } = calculator;
  const isCustomer = useSession().phase === 'customer';
  const [isCodeWanted, setCodeWanted] = useState(false);
  const Extras = usePart(isCodeWanted || isCustomer, loadExtras);
  const of = (side: 'from' | 'to') => stub.fields.filter((field) => field.side === side);
  return (
    <div className={styles.stub}>
      <section className={styles.column} aria-label={to ? t('stub_payout', { name: to.name }) : undefined}>
        <h2>{to ? t('stub_payout', { name: to.name }) : t('stub_payout_blank')}</h2>
        {pair ? of('to').map((field) => <StubInput key={field.memory} field={field} stub={stub} />) : <Blank />}
      </section>
      <section className={styles.column} aria-label={t('stub_contact')}>
        <h2>{t('stub_contact')}</h2>
        <Field
          label={t('email')}
          type="email"
          inputMode="email"
          autoComplete="email"
          placeholder="you@example.com"
          value={stub.email}
          error={stub.errors.email}
          onChange={(event) => stub.setEmail(event.target.value)}
          aria-required="true"
        />
        {of('from').map((field) => (
          <StubInput key={field.memory} field={field} stub={stub} />
        ))}
      </section>
      <div className={styles.go}>
        {Extras ? (
          <Extras stub={stub} calculator={calculator} isCustomer={isCustomer} isCodeWanted={isCodeWanted} />
        ) : (
          // There from the start, so that nothing below it moves under a pointer later.
          <button type="button" className={cx('linkbtn small', styles.code)} onClick={() => setCodeWanted(true)}>
            {t('promo_open')}
          </button>
        )}
        <Check
          label={<Trans ns="home" i18nKey="consent_terms" components={rules.links} />}
          checked={stub.consents.terms}
          error={stub.errors.terms}
          onChange={(event) => stub.setConsent('terms', event.target.checked)}
        />
        <Check
          label={t('consent_own')}
          checked={stub.consents.ownFunds}
          error={stub.errors.ownFunds}
          onChange={(event) => stub.setConsent('ownFunds', event.target.checked)}
        />
        <Outcome submission={submission} from={from} to={to} />
        <div className={styles.bar}>
          <MainButton submission={submission} ready={pair !== null} send={calculator.amounts.send} from={from} />
        </div>
        <p className={styles.after}>{t('pay_next')}</p>
        {rules.opened}
      </div>
    </div>
  );
}

interface OutcomeProps extends Pick<StubFormProps, 'submission'> {
  from: Direction | null;
}

interface MainButtonProps extends OutcomeProps {
  ready: boolean;
  /** The amount to send, for the words on the button. */
  send: string | null;
}

/** The one thing to press: make the claim or, when the rate has changed, agree to the new numbers. */
function MainButton({ submission: { busy, changed, submit }, ready, send, from }: MainButtonProps) {
  const t = useT('home');
  const locale = useLocale();
  if (changed && !busy) {
    return (
      <Button key="agree" look="main" size="big" onClick={() => submit(changed)}>
        {t('rate_accept')}
      </Button>
    );
  }
  const amount = send && from ? `${writeAmount(send, locale)}\u00a0${unitOf(from.ticker)}` : null;
  const words = amount ? t('exchange_amount', { amount }) : t('exchange');
  return (
    <Button key="exchange" look="main" size="big" type="submit" disabled={busy || !ready}>
      {busy ? t('sending') : words}
    </Button>
  );
}

function Blank() {
  return (
    <div className={styles.blank}>
      <span className="skeleton" />
    </div>
  );
}

function StubInput({ field, stub }: { field: StubField; stub: Stub }) {
  const t = useT('home');
  const value = stub.typedIn(field);
  const checked = useRequisite(field.kind, value);
  const [left, setLeft] = useState(false);
  return (
    <Field
      label={field.label}
      {...typingOf(field.kind)}
      name={field.key}
      value={value}
      placeholder={field.required ? undefined : t('optional')}
      error={stub.errors[field.key] ?? (left ? checked?.problem : null)}
      verified={checked?.verified}
      spellCheck={false}
      autoCapitalize="none"
      aria-required={field.required}
      onChange={(event) => stub.setValue(field, event.target.value)}
      onBlur={() => {
        setLeft(value.trim() !== '');
        if (value !== written(field.kind, value)) {
          stub.setValue(field, written(field.kind, value));
        }
      }}
    />
  );
}

/** What came of pressing the button, when it was not a claim. */
function Outcome({ submission, from, to }: OutcomeProps & { to: Direction | null }) {
  const t = useT('home');
  const locale = useLocale();
  const { changed, failure } = submission;
  return (
    <div role="alert">
      {changed && from && to ? (
        <div className={styles.changed}>
          <h3>{t('rate_changed')}</h3>
          <p className="num">
            {t('rate_changed_now', {
              send: writeMoney(changed.fromSumma, from.ticker, locale),
              receive: writeMoney(changed.toSumma, to.ticker, locale),
              course: `1\u00a0${unitOf(from.ticker)} = ${writeMoney(shorten(changed.course, 7), to.ticker, locale)}`,
            })}
          </p>
        </div>
      ) : null}
      {failure ? (
        <p className={styles.failure}>
          <Icon name="alert" /> {failure}
        </p>
      ) : null}
    </div>
  );
}
