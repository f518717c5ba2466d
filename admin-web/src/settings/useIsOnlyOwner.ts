import { useList } from '../api/index.ts';

/**
 * Whether no other owner could approve what this one decides about staff. Two-person approval could then be neither used
 * nor turned off. Who may not see the staff is not told.
 */
export function useIsOnlyOwner(enabled: boolean): boolean {
  const { rows } = useList('/staff', { enabled });
  return (
    enabled && rows.some(({ own }) => own) && !rows.some((row) => !row.own && !row.disabled && row.role === 'owner')
  );
}
