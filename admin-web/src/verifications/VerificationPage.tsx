import { useState } from 'react';
import { Link } from 'react-router';
import { useGet, useMayEdit } from '../api/index.ts';
import { AmountFact, Fact, PlainFact, Section } from '../claims/Facts.tsx';
import { unitOf } from '../ui/format.ts';
import { Button, ErrorNote, Loaded, Page, useTexts } from '../ui/index.ts';
import { type Decision, DecisionDialog, type Verification } from './DecisionDialog.tsx';
import { Photos } from './Photos.tsx';
import { REFRESH_MS } from './refresh.ts';
import css from './Verifications.module.css';

/** One verification: the photos beside the data they must match, and the decisions. */
export function VerificationPage({ id }: { id: string }) {
  const verification = useGet('/verifications/{id}', { path: { id }, refetchInterval: REFRESH_MS });
  return (
    <Loaded answer={verification} bones={{ rows: 10, height: 48 }}>
      {(data) => <Open verification={data} />}
    </Loaded>
  );
}

function Open({ verification }: { verification: Verification }) {
  const { t } = useTexts();
  const mayVerify = useMayEdit('verifications');
  const [deciding, setDeciding] = useState<Decision | null>(null);
  const { claim, decisions, kind, state } = verification;
  const name = claim ? `№ ${claim.publicId}` : verification.email;
  return (
    <Page
      title={`${t(`verifications.kinds.${kind}`)}, ${name}`}
      line={
        <>
          <Link to="/verifications">{t('action.back')}</Link> · {t(`verifications.states.${state}`)}
        </>
      }
      actions={
        mayVerify &&
        decisions.map((decision) => (
          <Button
            key={decision}
            variant={decision === 'accept' ? 'contained' : 'outlined'}
            color={decision === 'reject' ? 'error' : 'inherit'}
            onClick={() => setDeciding(decision)}
          >
            {t(`verifications.decisions.${decision}`)}
          </Button>
        ))
      }
    >
      <div className={css.sheet}>
        <Photos verification={verification} mayLook={mayVerify} />
        <div>
          <About verification={verification} />
          {claim && <ClaimBeside id={claim.id} />}
        </div>
      </div>
      {deciding && <DecisionDialog verification={verification} decision={deciding} onClose={() => setDeciding(null)} />}
    </Page>
  );
}

function About({ verification }: { verification: Verification }) {
  const { t, language, dateTimeText } = useTexts();
  const { cause, card, email, expiresAt, decidedBy, decidedAt, message } = verification;
  return (
    <Section title={t('verifications.why')}>
      <p className={css.text}>{cause.text}</p>
      <dl className={css.facts}>
        {card && <PlainFact name={t('verifications.card')}>{card}</PlainFact>}
        <Fact name={t('fields.email')} value={email} kind="email" />
        {expiresAt && <PlainFact name={t('verifications.until')}>{dateTimeText(expiresAt)}</PlainFact>}
        {decidedBy && decidedAt && (
          <PlainFact name={t('verifications.decidedBy')}>
            {t('state.byAt', { by: decidedBy, at: dateTimeText(decidedAt) })}
          </PlainFact>
        )}
        {message && <PlainFact name={t('verifications.told')}>{message[language]}</PlainFact>}
      </dl>
    </Section>
  );
}

/** Names, cards and amounts of the claim, to compare with the photos. */
function ClaimBeside({ id }: { id: string }) {
  const { t } = useTexts();
  const { data, error, refetch } = useGet('/claims/{id}', { path: { id } });
  return (
    <Section
      title={t('verifications.compare')}
      aside={<Link to={`/claims/${id}`}>{t('verifications.openClaim')}</Link>}
    >
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && (
        <dl className={css.facts}>
          <AmountFact name={t('fields.gives')} value={data.from.amount} ticker={unitOf(data.from)} />
          {data.requisitesIn.map((requisite) => (
            <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
          ))}
          <AmountFact name={t('fields.receives')} value={data.to.amount} ticker={unitOf(data.to)} />
          {data.requisitesOut.map((requisite) => (
            <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
          ))}
        </dl>
      )}
    </Section>
  );
}
