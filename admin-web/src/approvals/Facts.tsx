import type { Approval } from '@agio/client/admin';
import css from './Approvals.module.css';

/** What is proposed, in words: each value as it would be, beside what it is now. */
export function Facts({ proposal }: { proposal: Approval }) {
  return (
    <dl className={css.facts}>
      {proposal.facts.map((fact) => (
        <div key={fact.label} className={css.fact}>
          <dt>{fact.label}</dt>
          <dd>
            {fact.before !== null && (
              <>
                <del>{fact.before}</del> <span aria-hidden="true">→</span>{' '}
              </>
            )}
            <ins>{fact.after ?? '—'}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
