import type { Claim } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { isZero } from '../ui/decimal.ts';
import { amountText, dayText, figuresIn, momentText } from '../ui/format.ts';
import { Refusal } from '../ui/States.tsx';
import { Sum } from '../ui/Sum.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Facts.module.css';
import { Section } from './Facts.tsx';

/** The course of the claim and where it came from. */
export function Rate({ claim }: { claim: Claim }) {
  const { t, language } = useWords();
  const { rate, bonus } = claim;
  if (!rate) return null;
  return (
    <Section
      title={t('claim.rate')}
      aside={rate.ratesOf && t('claim.ratesOf', { day: dayText(rate.ratesOf, language) })}
    >
      <p>
        <strong>{figuresIn(rate.text, language)}</strong>
      </p>
      <p className={css.none}>{rate.explanation}</p>
      {bonus !== null && !isZero(bonus) && (
        <p className={css.none}>{t('claim.bonus', { percent: amountText(bonus, language) })}</p>
      )}
      <Replayed id={claim.id} />
    </Section>
  );
}

/** The course computed again from what is stored with the claim. */
function Replayed({ id }: { id: string }) {
  const { t, language } = useWords();
  const replay = useMutation({ mutationFn: () => api.explainClaimRate(id) });
  const told = replay.data;
  return (
    <div aria-live="polite">
      {!told && (
        <Button size="small" disabled={replay.isPending} onClick={() => replay.mutate()}>
          {t('claim.replay')}
        </Button>
      )}
      {told && (
        <p className={css.none}>
          {t(told.agrees ? 'claim.replayed' : 'claim.replayDiffers', {
            course: told.replayed ? amountText(told.replayed, language) : '—',
          })}
        </p>
      )}
      <Refusal error={replay.error} />
    </div>
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
                <Sum value={entry.amount} code={entry.currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
