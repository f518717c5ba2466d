import type { Approval } from '@agio/client/admin';
import { amountText } from '../ui/format.ts';
import { useUnits } from '../ui/Sum.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Approvals.module.css';

/** What is proposed, in words: each value as it would be, beside what it is now. */
export function Facts({ proposal }: { proposal: Approval }) {
  const { language } = useWords();
  const units = useUnits();
  const said = (value: string): string => {
    const [, amount, code] = /^(\d+(?:\.\d+)?)(?: (\S+))?$/.exec(value) ?? [];
    const unit = code && units.get(code);
    if (amount && unit) return `${amountText(amount, language)} ${unit}`;
    // A whole number alone may be a card's: it is left as it is.
    return amount?.includes('.') && !code ? amountText(amount, language) : value;
  };
  return (
    <dl className={css.facts}>
      {proposal.facts.map((fact) => (
        <div key={fact.label} className={css.fact}>
          <dt>{fact.label}</dt>
          <dd>
            {fact.before !== null && (
              <>
                <del>{said(fact.before)}</del> <span aria-hidden="true">→</span>{' '}
              </>
            )}
            <ins>{fact.after === null ? '—' : said(fact.after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
