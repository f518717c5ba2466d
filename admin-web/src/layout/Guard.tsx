import type { ReactElement } from 'react';
import { useCanAccess } from 'react-admin';
import { EmptyNote } from '../ui/States.tsx';
import { useTexts } from '../ui/useTexts.ts';

/** Shows a screen to those who may read it, and says so to others. */
export function Guard({ resource, screen }: { resource: string; screen: ReactElement }) {
  const { t } = useTexts();
  const { canAccess, isPending } = useCanAccess({ resource, action: 'read' });
  if (isPending) return null;
  return canAccess ? screen : <EmptyNote heading title={t('access.title')} text={t('access.text')} />;
}
