import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { useTexts } from './useTexts.ts';

/** From a thing to everything that was done to it. */
export function AuditLink({ kind, id }: { kind: string; id: string | number }) {
  const { t } = useTexts();
  const { canAccess = false } = useCanAccess({ resource: 'audit', action: 'read' });
  if (!canAccess) return null;
  return (
    <Link to={`/audit?${new URLSearchParams({ aboutKind: kind, aboutId: String(id) })}`}>{t('audit.ofThing')}</Link>
  );
}
