import type { Claim } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Ticket.module.css';

/** Through which partner a claim was made, and what they call it. */
export function PartnerLine({ claim }: { claim: Claim }) {
  const { t } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'partners', action: 'read' });
  const { partnerId } = claim;
  const partners = useQuery({
    queryKey: ['partners'],
    queryFn: api.partners,
    enabled: canAccess && partnerId !== null,
    staleTime: 60_000,
  });
  if (partnerId === null) return null;
  const name = partners.data?.find(({ id }) => id === partnerId)?.name ?? t('claim.somePartner');
  return (
    <p className={css.partner}>
      {t('claim.through')} {canAccess ? <Link to={`/partners/${partnerId}`}>{name}</Link> : name}
      {claim.partnerReference && <code>{claim.partnerReference}</code>}
    </p>
  );
}
