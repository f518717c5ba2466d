import { useMutation } from '@tanstack/react-query';
import { api } from '../api/index.ts';
import { isZero } from '../ui/decimal.ts';
import { figuresIn } from '../ui/format.ts';
import { Button, Refusal, Sum, useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import { Section } from './Facts.tsx';
import type { Claim } from './types.ts';

/** The rate of the claim and its sources. */
export function Rate({ claim }: { claim: Claim }) {
  const { t, language, percentText, longDayText } = useTexts();
  const { rate, bonus } = claim;
  if (!rate) return null;
  return (
    <Section title={t('claim.rate')} aside={rate.ratesOf && t('claim.ratesOf', { day: longDayText(rate.ratesOf) })}>
      <p>
        <strong>{figuresIn(rate.text, language)}</strong>
      </p>
      <p className={css.none}>{rate.explanation}</p>
      {bonus !== null && !isZero(bonus) && (
        <p className={css.none}>{t('claim.bonus', { percent: percentText(bonus) })}</p>
      )}
      <Recomputed id={claim.id} />
    </Section>
  );
}

/** Computes the rate again from the data stored with the claim. */
function Recomputed({ id }: { id: string }) {
  const { t, amountText } = useTexts();
  const replay = useMutation({
    mutationFn: () => api.GET('/rates/claims/{id}/explain', { params: { path: { id } } }),
  });
  const result = replay.data?.data;
  return (
    <div aria-live="polite">
      {!result && (
        <Button size="small" disabled={replay.isPending} onClick={() => replay.mutate()}>
          {t('claim.replay')}
        </Button>
      )}
      {result && (
        <p className={css.none}>
          {t(result.agrees ? 'claim.replayed' : 'claim.replayDiffers', {
            rate: result.recomputed ? amountText(result.recomputed) : '—',
          })}
        </p>
      )}
      <Refusal error={replay.error} />
    </div>
  );
}

/** The ledger entries of the claim. */
export function LedgerEntries({ claim }: { claim: Claim }) {
  const { t, dateTimeText } = useTexts();
  if (claim.ledger.length === 0) return null;
  return (
    <Section title={t('claim.books')}>
      <table className={css.books}>
        <thead>
          <tr>
            <th scope="col">{t('fields.when')}</th>
            <th scope="col">{t('claim.accounts')}</th>
            <th scope="col">{t('fields.amount')}</th>
          </tr>
        </thead>
        <tbody>
          {claim.ledger.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end.
            <tr key={`${entry.batch}-${index}`}>
              <td className={css.time}>{dateTimeText(entry.at)}</td>
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
