import type { Verification, VerificationDecision } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { type ReactNode, useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { Fact, Section } from '../claims/Facts.tsx';
import { useClaim } from '../claims/useClaims.ts';
import { Amount } from '../ui/Amount.tsx';
import { momentText, unitOf } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import { DecisionDialog } from './DecisionDialog.tsx';
import { Photos } from './Photos.tsx';
import { useVerification } from './useVerifications.ts';
import css from './Verifications.module.css';

/** One verification: the photos beside what they are to agree with, and what is decided on them. */
export function Sheet({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useVerification(id);
  if (data) return <Open verification={data} />;
  return (
    <>
      {isPending && <SkeletonRows rows={10} height={48} />}
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
    </>
  );
}

function Open({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { canAccess: mayVerify = false } = useCanAccess({ resource: 'verifications', action: 'edit' });
  const [deciding, setDeciding] = useState<VerificationDecision | null>(null);
  const { claim, decisions, kind, state } = verification;
  const name = claim ? `№ ${claim.publicId}` : verification.email;
  return (
    <Page
      title={`${t(`verifications.kinds.${kind}`)}, ${name}`}
      line={
        <>
          <Link to="/verifications">{t('verifications.back')}</Link> · {t(`verifications.states.${state}`)}
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
  const { t, language } = useWords();
  const { cause, card, email, expiresAt, decidedBy, decidedAt, words } = verification;
  return (
    <Section title={t('verifications.why')}>
      <p className={css.text}>{cause.text}</p>
      <dl className={css.facts}>
        {card && <Plain name={t('verifications.card')}>{card}</Plain>}
        <Fact name={t('verifications.email')} value={email} kind="email" />
        {expiresAt && <Plain name={t('verifications.until')}>{momentText(expiresAt, language)}</Plain>}
        {decidedBy && decidedAt && (
          <Plain name={t('verifications.decidedBy')}>
            {t('verifications.decided', { by: decidedBy, at: momentText(decidedAt, language) })}
          </Plain>
        )}
        {words && <Plain name={t('verifications.told')}>{words[language]}</Plain>}
      </dl>
    </Section>
  );
}

/** What the claim says: names, cards and amounts to hold the photos against. */
function ClaimBeside({ id }: { id: string }) {
  const { t } = useWords();
  const { data, error, refetch } = useClaim(id);
  return (
    <Section
      title={t('verifications.compare')}
      aside={<Link to={`/claims/${id}`}>{t('verifications.openClaim')}</Link>}
    >
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && (
        <dl className={css.facts}>
          <Plain name={t('verifications.from')}>
            <Amount value={data.from.amount} /> {unitOf(data.from)}
          </Plain>
          {data.requisitesIn.map((requisite) => (
            <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
          ))}
          <Plain name={t('verifications.to')}>
            <Amount value={data.to.amount} /> {unitOf(data.to)}
          </Plain>
          {data.requisitesOut.map((requisite) => (
            <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
          ))}
        </dl>
      )}
    </Section>
  );
}

function Plain({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
