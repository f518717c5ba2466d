import type { Schema } from '@agio/client/admin';
import { useTexts, useUnits } from '../ui/index.ts';
import css from './Approvals.module.css';

/** What a request would change: each value as it would be, beside what it is now. */
export function ApprovalFacts({ approval }: { approval: Schema<'ApprovalRequestView'> }) {
  const { amountText } = useTexts();
  const units = useUnits();
  const shown = (value: string): string => {
    const [, amount, code] = /^(\d+(?:\.\d+)?)(?: (\S+))?$/.exec(value) ?? [];
    const unit = code && units.get(code);
    if (amount && unit) return `${amountText(amount)} ${unit}`;
    // A whole number alone may be a card's: it is left as it is.
    return amount?.includes('.') && !code ? amountText(amount) : value;
  };
  return (
    <dl className={css.facts}>
      {approval.facts.map((fact) => (
        <div key={fact.label} className={css.fact}>
          <dt>{fact.label}</dt>
          <dd>
            {fact.before !== null && (
              <>
                <del>{shown(fact.before)}</del> <span aria-hidden="true">→</span>{' '}
              </>
            )}
            <ins>{fact.after === null ? '—' : shown(fact.after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
