import { type KeyboardEvent, useEffect, useState } from 'react';
import type { Pair } from '../../../api/types';
import { writeAmount } from '../../../components/amounts';
import { Button } from '../../../components/Button';
import { Field } from '../../../components/Field';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import type { Calculator } from '../calculator/useCalculator';
import styles from './Promo.module.css';
import { asking } from './promo';
import type { Stub } from './useStub';

interface PromoProps {
  stub: Stub;
  calculator: Calculator;
  /** Whether the field is there from the start. */
  isOpen: boolean;
}

/** The bonus in words, and the field for a promo code. */
export function Promo({ stub, calculator, isOpen }: PromoProps) {
  const { pair } = calculator;
  return (
    <div className={styles.promo}>
      {pair ? <Why pair={pair} /> : null}
      <Code stub={stub} calculator={calculator} isOpen={isOpen} />
    </div>
  );
}

/** What the bonus inside the course is given for, and why it is not more. */
function Why({ pair: { bonus, bonuses, bonusCut } }: { pair: Pair }) {
  const t = useT('account');
  const locale = useLocale();
  const percent = (value: string) => `${writeAmount(value, locale)}\u00a0%`;
  if (bonuses.length === 0) {
    return null;
  }
  const why = bonuses.map((part) => `${part.text} ${percent(part.percent)}`).join(', ');
  return (
    <p className="small num" role="status">
      {t('promo.bonus', { percent: writeAmount(bonus, locale), why })} {bonusCut?.text}
    </p>
  );
}

function Code({ stub, calculator: { pair, renew }, ...opening }: PromoProps) {
  const t = useT('account');
  const home = useT('home');
  const [isOpen, setOpen] = useState(opening.isOpen);
  const [typed, setTyped] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  // A code that was typed here does not follow the customer to another page.
  useEffect(
    () => () => {
      asking.promo = undefined;
    },
    [],
  );

  const ask = async (code: string) => {
    asking.promo = code || undefined;
    setRefused(null);
    stub.setErrors({});
    const seen = (await renew())?.promo;
    if (seen && !seen.ok && seen.reason !== 'promo_adds_nothing') {
      asking.promo = undefined;
      setRefused(seen.text);
    }
  };
  const remove = () => {
    setTyped('');
    void ask('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter in this field is about the code, not about the claim.
    if (event.key === 'Enter') {
      event.preventDefault();
      void ask(typed.trim());
    }
  };

  const seen = pair?.promo;
  const error = stub.errors['extras.promo'] ?? refused;
  if (seen && !refused) {
    return (
      <div className={styles.taken}>
        <p className="small" role="status">
          {seen.ok ? t('promo.counts', { code: seen.code }) : null} {seen.text}
          {error ? <span className={styles.error}> {error}</span> : null}
        </p>
        <Button size="small" onClick={remove}>
          {t('promo.remove')}
        </Button>
      </div>
    );
  }
  if (!isOpen) {
    return (
      <button type="button" className="linkbtn small" onClick={() => setOpen(true)}>
        {home('promo_open')}
      </button>
    );
  }
  return (
    <div className={styles.row}>
      <Field
        label={t('promo.label')}
        value={typed}
        error={error}
        maxLength={32}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        autoFocus
      />
      <Button disabled={typed.trim() === ''} onClick={() => ask(typed.trim())}>
        {t('promo.apply')}
      </Button>
    </div>
  );
}
