import { amountText, percentText } from '@agio/client/format';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { Pair } from '../../../api/types';
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
  /** Whether the field is open from the start. */
  isOpen: boolean;
}

/** The bonus, and the promo code field. */
export function Promo({ stub, calculator, isOpen }: PromoProps) {
  const { pair } = calculator;
  return (
    <div className={styles.promo}>
      {pair ? <Why pair={pair} /> : null}
      <Code stub={stub} calculator={calculator} isOpen={isOpen} />
    </div>
  );
}

/** What the bonus is for, and why it is not greater. */
function Why({ pair: { bonus, bonuses, bonusCut } }: { pair: Pair }) {
  const t = useT('account');
  const locale = useLocale();
  const percent = (value: string) => percentText(value, locale);
  if (bonuses.length === 0) return null;
  const why = bonuses.map((part) => `${part.text} ${percent(part.percent)}`).join(', ');
  return (
    <p className="small num" role="status">
      {t('promo.bonus', { percent: amountText(bonus, locale), why })} {bonusCut?.text}
    </p>
  );
}

function Code({ stub, calculator: { pair, renew }, ...opening }: PromoProps) {
  const t = useT('account');
  const home = useT('home');
  const [isOpen, setOpen] = useState(opening.isOpen);
  const [typed, setTyped] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  // A code typed here does not follow the customer to another page.
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
    const result = (await renew())?.promo;
    if (result && !result.ok && result.reason !== 'promo_adds_nothing') {
      asking.promo = undefined;
      setRefused(result.text);
    }
  };
  const remove = () => {
    setTyped('');
    void ask('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter in this field applies the code instead of creating the claim.
    if (event.key === 'Enter') {
      event.preventDefault();
      void ask(typed.trim());
    }
  };

  const result = pair?.promo;
  const error = stub.errors['extras.promo'] ?? refused;
  if (result && !refused) {
    return (
      <div className={styles.taken}>
        <p className="small" role="status">
          {result.ok ? t('promo.counts', { code: result.code }) : null} {result.text}
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
