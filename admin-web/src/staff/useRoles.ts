import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { useWords } from '../ui/useWords.ts';
import { ROLES } from './keys.ts';

/** What a role is for, in the server's words; nothing until they came. */
export function useRoles(): (role: string) => string | undefined {
  const { language } = useWords();
  const { data } = useQuery({ queryKey: [...ROLES, language], queryFn: api.roles });
  return (role) => data?.find(({ name }) => name === role)?.about;
}
