import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

type Load = () => Promise<{ data?: Blob }>;

/** A file behind the sign-in as a URL of this page, for as long as it is shown. It is downloaded once. */
export function useFileUrl(path: string, load: Load, enabled = true) {
  const { data, error } = useQuery({
    queryKey: ['file', path],
    queryFn: async () => (await load()).data ?? null,
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const created = URL.createObjectURL(data);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [data]);
  return { url, error };
}
