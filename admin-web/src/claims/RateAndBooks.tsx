import type { Claim } from '@agio/client/admin';
import { Amount } from '../ui/Amount.tsx';
import { isZero } from '../ui/decimal.ts';
import { amountText, dayText, momentText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Facts.module.css';
import { Section } from './Facts.tsx';

/** The course of the claim and where it came from. */
export function Rate({ claim }: { claim: Claim }) {
  const { t, language } = useWords();
  const { rate, bonus } = claim;
  return (
    <Section
      title={t('claim.rate')}
      aside={rate.ratesOf && t('claim.ratesOf', { day: dayText(rate.ratesOf, language) })}
    >
      <p>
        <strong>{rate.text}</strong>
      </p>
      <p className={css.none}>{rate.explanation}</p>
      {!isZero(bonus) && <p className={css.none}>{t('claim.bonus', { percent: amountText(bonus, language) })}</p>}
    </Section>
  );
}

/** What the claim has written into the books. */
export function Books({ claim }: { claim: Claim }) {
  const { t, language } = useWords();
  if (claim.ledger.length === 0) return null;
  return (
    <Section title={t('claim.books')}>
      <table className={css.books}>
        <thead>
          <tr>
            <th scope="col">{t('claim.when')}</th>
            <th scope="col">{t('claim.accounts')}</th>
            <th scope="col">{t('claim.amount')}</th>
          </tr>
        </thead>
        <tbody>
          {claim.ledger.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end.
            <tr key={`${entry.batch}-${index}`}>
              <td className={css.time}>{momentText(entry.at, language)}</td>
              <td>
                {t(`accounts.${entry.debit}`, { _: entry.debit })} →{' '}
                {t(`accounts.${entry.credit}`, { _: entry.credit })}
              </td>
              <td>
                <Amount value={entry.amount} /> <small>{entry.currency}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
