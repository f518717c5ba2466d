import type { ReactElement } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { EmptyNote, useTexts } from '../ui/index.ts';

/** At an address that is none of the console's. */
export function UnknownScreen() {
  const { t } = useTexts();
  return (
    <EmptyNote heading title={t('unknown.title')} text={t('unknown.text')}>
      <Link to="/">{t('unknown.home')}</Link>
    </EmptyNote>
  );
}

/** Shows a screen to those who may read it, and says so to others. */
export function Guard({ resource, screen }: { resource: string; screen: ReactElement }) {
  const { t } = useTexts();
  const { canAccess, isPending } = useCanAccess({ resource, action: 'read' });
  if (isPending) return null;
  return canAccess ? screen : <EmptyNote heading title={t('access.title')} text={t('access.text')} />;
}
