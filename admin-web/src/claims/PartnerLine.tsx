import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { useList } from '../api/index.ts';
import { useTexts } from '../ui/index.ts';
import css from './Ticket.module.css';
import type { Claim } from './types.ts';

/** The partner of a claim, and the partner's reference. */
export function PartnerLine({ claim }: { claim: Claim }) {
  const { t } = useTexts();
  const { canAccess = false } = useCanAccess({ resource: 'partners', action: 'read' });
  const { partnerId } = claim;
  const partners = useList('/partners', { enabled: canAccess && partnerId !== null });
  if (partnerId === null) return null;
  const name = partners.rows.find(({ id }) => id === partnerId)?.name ?? t('claim.somePartner');
  return (
    <p className={css.partner}>
      {t('claim.through')} {canAccess ? <Link to={`/partners/${partnerId}`}>{name}</Link> : name}
      {claim.partnerReference && <code>{claim.partnerReference}</code>}
    </p>
  );
}
