import type { ReactElement } from 'react';
import { useCanAccess } from 'react-admin';
import { EmptyNote } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';

/** Shows a screen to those who may read it. Custom routes have no guard of their own in react-admin. */
export function Guard({ resource, screen }: { resource: string; screen: ReactElement }) {
  const { t } = useWords();
  const { canAccess, isPending } = useCanAccess({ resource, action: 'read' });
  if (isPending) return null;
  return canAccess ? screen : <EmptyNote heading title={t('access.title')} text={t('access.text')} />;
}
