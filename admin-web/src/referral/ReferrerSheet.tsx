import type { ReferralPerson, ReferralProgramme, ReferrerWhole } from '@agio/client/admin';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Amount } from '../ui/Amount.tsx';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Choice } from '../ui/Field.tsx';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { Sum } from '../ui/Sum.tsx';
import css from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { AccrualTable } from './Accruals.tsx';
import own from './Referral.module.css';

/** A referrer: their numbers, whom they brought, and what they earned. */
export function ReferrerSheet({ id }: { id: string }) {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...KEYS.referral, 'referrer', id],
    queryFn: ({ signal }) => api.referrer(id, signal),
  });
  return (
    <Page
      title={data?.referrer.email ?? t('referral.referrer')}
      line={<Link to="/referral?tab=referrers">{t('referral.back')}</Link>}
      actions={<AuditLink kind="referrer" id={id} />}
    >
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <Whole whole={data} />}
    </Page>
  );
}

function Whole({ whole }: { whole: ReferrerWhole }) {
  const { t } = useWords();
  const { referrer, broughtBy, people, accruals } = whole;
  const money = (value: string): ReactNode => <Sum value={value} code={referrer.currency} />;
  const numbers: [string, ReactNode][] = [
    [t('referral.code'), referrer.code],
    [t('referral.share'), `${referrer.percent} %`],
    [t('referral.volume'), <Amount key="volume" value={referrer.volume} />],
    [t('referral.visits'), referrer.visits],
    [t('referral.registrations'), referrer.registrations],
    [t('referral.claims'), referrer.claims],
    [t('referral.earned'), money(referrer.earned)],
    [t('referral.balance'), money(referrer.balance)],
    [t('referral.pending'), money(referrer.pending)],
    [t('referral.debt'), money(referrer.debt)],
    [t('referral.paid'), money(referrer.paid)],
  ];
  return (
    <>
      <dl className={own.numbers}>
        {numbers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {broughtBy && (
        <p className={own.text}>
          {t('referral.broughtBy')} <Link to={`/referral/${broughtBy.id}`}>{broughtBy.email}</Link>
        </p>
      )}
      <OwnTerms whole={whole} />
      <h2 className={own.section}>{t('referral.people')}</h2>
      {people.length === 0 ? <p className={own.text}>{t('referral.nobody')}</p> : <People people={people} />}
      <h2 className={own.section}>{t('referral.lastEarned')}</h2>
      {accruals.length === 0 ? (
        <p className={own.text}>{t('referral.noAccruals.past')}</p>
      ) : (
        <AccrualTable rows={accruals} />
      )}
    </>
  );
}

function OwnTerms({ whole: { referrer } }: { whole: ReferrerWhole }) {
  const { t } = useWords();
  const saved = useSaved();
  const { canAccess: mayChange = false } = useCanAccess({ resource: 'referralTerms', action: 'edit' });
  const { data: programmes = [] } = useQuery({
    queryKey: [...KEYS.referral, 'programmes'],
    queryFn: () => api.referralProgrammes(),
  });
  const give = useMutation({
    mutationFn: (programme: string) => api.giveReferrerProgramme(referrer.id, programme || null),
    onSuccess: () => saved(t('referral.saved'), KEYS.referral),
  });
  const isGiven = (programme: ReferralProgramme) => !programme.common;
  return (
    <div className={own.text}>
      <Choice
        label={t('referral.programme')}
        value={programmes.length > 0 ? (referrer.programmeId ?? '') : ''}
        disabled={!mayChange || give.isPending}
        options={[
          { value: '', label: t('referral.commonTerms') },
          ...programmes.filter(isGiven).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onValue={(programme) => give.mutate(programme)}
      />
      <Refusal error={give.error} />
    </div>
  );
}

function People({ people }: { people: ReferralPerson[] }) {
  const { t, language } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('referral.person')}</th>
            <th scope="col">{t('referral.since')}</th>
            <th scope="col" className={css.right}>
              {t('referral.claims')}
            </th>
            <th scope="col" className={css.right}>
              {t('referral.earned')}
            </th>
            <th scope="col" className={css.right}>
              {t('referral.broughtThey')}
            </th>
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={`${person.customerId} ${person.email}`}>
              <td className={own.email}>
                {person.customerId && person.code ? (
                  <Link to={`/referral/${person.customerId}`}>{person.email}</Link>
                ) : (
                  person.email
                )}
                {!person.customerId && <span className={css.small}> {t('referral.guest')}</span>}
              </td>
              <td className={`${css.small} ${css.end}`}>{momentText(person.createdAt, language)}</td>
              <td className={css.right} data-label={t('referral.claims')}>
                {person.claims}
              </td>
              <td className={css.right} data-label={t('referral.earned')}>
                <Amount value={person.earned} />
              </td>
              <td className={css.right} data-label={t('referral.broughtThey')}>
                {person.brought}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
