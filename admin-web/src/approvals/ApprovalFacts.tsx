import type { Schema } from '@agio/client/admin';
import { Groups, useTexts, useUnits } from '../ui/index.ts';
import css from './Approvals.module.css';

/** What a request would change: each value as it would be, beside what it is now. */
export function ApprovalFacts({ approval }: { approval: Schema<'ApprovalRequestView'> }) {
  const { amountText } = useTexts();
  const units = useUnits();
  const shown = (value: string) => {
    const [, amount, code] = /^(\d+(?:\.\d+)?)(?: (\S+))?$/.exec(value) ?? [];
    const unit = code && units.get(code);
    if (amount && unit) return `${amountText(amount)} ${unit}`;
    return amount?.includes('.') && !code ? amountText(amount) : <Details value={value} />;
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

/** A card's number or an address, which is compared character by character. */
const EXACT = /^(\d{16,20}|[\w:-]{24,})$/;

/** A text; cards and addresses in it as they stand elsewhere. */
function Details({ value }: { value: string }) {
  const parts = value.split(', ');
  if (!parts.some((part) => EXACT.test(part))) return value;
  return (
    <span className={css.details}>
      {parts.map((part) => (EXACT.test(part) ? <Groups key={part} value={part} /> : <span key={part}>{part}</span>))}
    </span>
  );
}
