import { amountText } from '@agio/client/format';
import { useState } from 'react';
import type { Direction } from '../../../api/types';
import { moneyText, rateText, unitOf } from '../../../components/amounts';
import { Button } from '../../../components/Button';
import { cx } from '../../../components/cx';
import { Check } from '../../../components/Field';
import { Icon } from '../../../components/Icon';
import { useLocale } from '../../../i18n/locale';
import { Trans } from '../../../i18n/Trans';
import { useT } from '../../../i18n/texts';
import { RequisiteField } from '../../../requisites/RequisiteField';
import { useRules } from '../../../rules/useRules';
import { useCustomer } from '../../../session/session';
import { usePart } from '../../../session/usePart';
import { trusted } from '../../../trusted';
import { useClaimsPaused } from '../../../watch/serviceStatus';
import { QuoteNote } from '../calculator/QuoteNote';
import type { Calculator } from '../calculator/useCalculator';
import type { StubField } from './fields';
import styles from './StubForm.module.css';
import { paymentObstacle, usePaymentAvailability } from './usePaymentAvailability';
import type { Stub } from './useStub';
import type { Submission } from './useSubmission';

interface StubFormProps {
  stub: Stub;
  submission: Submission;
  calculator: Calculator;
}

/** Whether a field is about the account that the payment comes from; others of its side say where a refund goes. */
const isOfPayer = ({ side, name }: StubField) => side === 'from' && !name.startsWith('refund');

const loadExtras = async () => (await import('./Extras')).Extras;

/** As many as the pair of the page has fields, by the server (platform/server/src/http/market_pages.rs). */
const BLANKS = {
  to: {
    __html: trusted.createHTML(import.meta.env.SSR ? 'AGIO_SLOT_RECEIVE_BLANKS' : '<span class="skeleton"></span>'),
  },
  from: { __html: trusted.createHTML(import.meta.env.SSR ? 'AGIO_SLOT_GIVE_BLANKS' : '') },
};

/** The form below the calculator: payout details, contact, the main button. */
export function StubForm({ stub, submission, calculator }: StubFormProps) {
  const t = useT('home');
  const rules = useRules();
  const { pair, from, to } = calculator;
  const customer = useCustomer();
  const [isCodeOpen, setCodeOpen] = useState(false);
  const Extras = usePart(isCodeOpen || customer !== null, loadExtras);
  const availability = usePaymentAvailability(from?.id ?? null);
  const obstacle = paymentObstacle(availability, calculator.amounts.give);
  const contact = t(stub.fields.some(isOfPayer) ? 'stub_contact_payer' : 'stub_contact');
  const named = to ? t('stub_payout', { name: to.name }) : t('stub_payout_blank');
  const payout = to?.kind === 'cash' ? t('stub_payout_cash') : named;
  const inputs = (side: 'from' | 'to') =>
    pair ? (
      stub.fields
        .filter((field) => field.side === side)
        .map((field) => <StubInput key={field.memory} field={field} stub={stub} />)
    ) : (
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the server has written the blanks, and React leaves them.
      <div className={styles.blanks} dangerouslySetInnerHTML={BLANKS[side]} suppressHydrationWarning />
    );
  return (
    <div className={styles.stub}>
      <div className={styles.unpayable} role="status">
        <QuoteNote
          note={obstacle && availability && from ? { about: 'payment', obstacle, availability, from } : null}
        />
      </div>
      <section className={styles.column} aria-label={payout}>
        <h2>{payout}</h2>
        {inputs('to')}
      </section>
      <section className={styles.column} aria-label={contact}>
        <h2>{contact}</h2>
        <RequisiteField
          input={{ label: t('email'), kind: 'email', required: true }}
          name="email"
          placeholder="you@example.com"
          value={stub.email}
          error={stub.errors.email}
          onChange={stub.setEmail}
        />
        {inputs('from')}
      </section>
      <div className={styles.go}>
        {Extras ? (
          <Extras stub={stub} calculator={calculator} customer={customer} isCodeOpen={isCodeOpen} />
        ) : (
          // Present from the start, so that nothing moves under the pointer later.
          <button type="button" className={cx('linkbtn small', styles.code)} onClick={() => setCodeOpen(true)}>
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
          <RateChange calculator={calculator} isShown={submission.changed !== null} />
          <MainButton
            submission={submission}
            ready={pair !== null && obstacle === null}
            give={calculator.amounts.give}
            from={from}
          />
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
  /** The given amount, for the button's label. */
  give: string | null;
}

/** The main button: creates the claim or, when the rate has changed, accepts the new amounts; not while claims are paused. */
function MainButton({ submission: { busy, changed, submit }, ready, give, from }: MainButtonProps) {
  const t = useT('home');
  const locale = useLocale();
  const isPaused = useClaimsPaused();
  if (changed && !busy && !isPaused) {
    return (
      <Button key="agree" look="main" size="big" onClick={() => submit(changed)}>
        {t('rate_accept')}
      </Button>
    );
  }
  const amount = give && from ? `${amountText(give, locale)}\u00a0${unitOf(from.ticker)}` : null;
  const label = isPaused ? t('paused') : amount ? t('exchange_amount', { amount }) : t('exchange');
  return (
    <Button key="exchange" look="main" size="big" type="submit" disabled={busy || isPaused || !ready}>
      {busy ? t('sending') : label}
    </Button>
  );
}

/** The rate changed after typing. Beside the button, wherever that is in view. */
function RateChange({ calculator, isShown }: { calculator: Calculator; isShown: boolean }) {
  return (
    <p className={styles.rateChange} role="status">
      <QuoteNote note={calculator.before && !isShown ? { about: 'change', calculator } : null} />
    </p>
  );
}

function StubInput({ field, stub }: { field: StubField; stub: Stub }) {
  const t = useT('home');
  return (
    <RequisiteField
      input={field}
      name={field.key}
      value={stub.typedIn(field)}
      beside={field.beside}
      placeholder={field.required ? undefined : t('optional')}
      error={stub.errors[field.key]}
      onChange={(value) => stub.setValue(field, value)}
    />
  );
}

/** Why no claim was created. */
function Outcome({ submission, from, to }: OutcomeProps & { to: Direction | null }) {
  const t = useT('home');
  const locale = useLocale();
  const { changed, failure, takeMost } = submission;
  return (
    <div role="alert" id="outcome">
      {changed && from && to ? (
        <div className={styles.changed}>
          <h3>{t('rate_changed')}</h3>
          <p className="num">
            {t('rate_changed_now', {
              give: moneyText(changed.fromSumma, from.ticker, locale),
              was: moneyText(changed.was, to.ticker, locale),
              receive: moneyText(changed.toSumma, to.ticker, locale),
              rate: rateText(changed.rate, from.ticker, to.ticker, locale),
            })}
          </p>
        </div>
      ) : null}
      {failure ? (
        <p className={styles.failure}>
          <Icon name="alert" />{' '}
          <span>
            {failure.text}{' '}
            <QuoteNote
              note={
                failure.most && to
                  ? { about: 'most', amount: failure.most.toSumma, ticker: to.ticker, take: takeMost }
                  : null
              }
            />
          </span>
        </p>
      ) : null}
    </div>
  );
}
