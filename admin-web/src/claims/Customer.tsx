import { Link } from 'react-router';
import { useList } from '../api/index.ts';
import { useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import { Fact, PlainFact, Section } from './Facts.tsx';
import type { Claim } from './types.ts';

/** The most claims that a search returns. */
const MOST = 100;

/** Who the customer is by the other claims with the same email address. */
export function Customer({ claim: { id, email } }: { claim: Claim }) {
  const { t, dateTimeText } = useTexts();
  const found = useList('/claims', { query: { q: email, size: MOST }, enabled: email !== '', keep: true });
  if (email === '') return null;
  const claims = found.rows.filter((row) => row.email === email);
  const first = claims.at(-1);
  const isAll = found.rows.length < MOST;
  const count = (status: string) => claims.filter((row) => row.status === status).length;
  return (
    <Section
      title={t('things.customer')}
      aside={<Link to={`/claims/${id}?${new URLSearchParams({ q: email })}`}>{t('claim.customerClaims')}</Link>}
    >
      <dl className={css.list}>
        <Fact name={t('fields.email')} value={email} kind="email" />
        {first && (
          <>
            <PlainFact name={t('screens.claims')}>
              {t(isAll ? 'claim.customerCounts' : 'claim.customerLatest', {
                all: claims.length,
                completed: count('completed'),
                rejected: count('rejected'),
              })}
            </PlainFact>
            {isAll && <PlainFact name={t('claim.customerSince')}>{dateTimeText(first.createdAt)}</PlainFact>}
          </>
        )}
      </dl>
    </Section>
  );
}
