import type { AdminPaths, Answer, GetPath, Schema } from '@agio/client/admin';
import { keepPreviousData, type UseQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { type RaRecord, useCanAccess, useInfiniteGetList, useNotify, useTranslate } from 'react-admin';
import { api } from './api.ts';
import { messageOf } from './problem.ts';
import { markStale, type Stale } from './stale.ts';

type Parameters<Path extends GetPath> = AdminPaths[Path]['get'] extends { parameters: infer All } ? All : never;
type PathParams<Path extends GetPath> = Parameters<Path> extends { path: infer Params extends object } ? Params : never;
type Query<Path extends GetPath> = Parameters<Path> extends { query?: infer Params } ? NonNullable<Params> : never;

type Options<Data> = Pick<UseQueryOptions<Data>, 'enabled' | 'refetchInterval' | 'placeholderData'>;

type Call = (path: string, init: object) => Promise<{ data?: unknown }>;

/** The path with its parameters filled in, which is also the first part of the key of its answer. */
export const pathWith = (path: string, params: object = {}): string =>
  Object.entries(params).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );

/** Reads one answer: `useGet('/partners/{id}', { path: { id } })`. */
export function useGet<Path extends GetPath>(
  path: Path,
  { path: params, query, ...options }: { path?: PathParams<Path>; query?: Query<Path> } & Options<Answer<Path>> = {},
) {
  return useQuery<Answer<Path>>({
    queryKey: [pathWith(path, params), query ?? {}],
    queryFn: async ({ signal }) =>
      (await (api.GET as Call)(path, { params: { path: params, query }, signal })).data as Answer<Path>,
    ...options,
  });
}

/** Paths whose answer is a list, or a page of one. */
export type ListPath = {
  [Path in GetPath]: Answer<Path> extends { items: object[] } | object[] ? Path : never;
}[GetPath];
export type Row<Path extends ListPath> =
  Answer<Path> extends { items: (infer Item)[] } ? Item : Answer<Path> extends (infer Item)[] ? Item : never;
/** What a page says besides its items. */
type Meta<Path extends ListPath> =
  Answer<Path> extends { items: unknown } ? Omit<Answer<Path>, 'items' | 'nextCursor'> : undefined;

/** A list as `DataTable` and `List` show it. */
export type ListState<Item> = {
  rows: Item[];
  isPending: boolean;
  error: unknown;
  refetch: () => unknown;
  more?: { isLoading: boolean; load: () => void };
};

type ListOptions<Path extends ListPath> = {
  path?: PathParams<Path>;
  query?: Omit<Query<Path>, 'cursor'>;
  refetchInterval?: number;
  enabled?: boolean;
  /** The rows stay until those of another question have come, as for a search while one types. */
  keep?: boolean;
};

/** Reads a list page after page through react-admin: `useList('/customers', { query: { q } })`. */
export function useList<Path extends ListPath>(
  path: Path,
  { path: params, query, keep, ...options }: ListOptions<Path> = {},
): ListState<Row<Path>> & { meta: Meta<Path> | undefined; isStale: boolean } {
  const list = useInfiniteGetList<RaRecord>(
    pathWith(path, params).slice(1),
    { filter: query ?? {} },
    { ...(keep && { placeholderData: keepPreviousData }), ...options },
  );
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  return {
    rows: rows as Row<Path>[],
    meta: data?.pages[0]?.meta as Meta<Path> | undefined,
    // A failure to read again leaves what is on the screen.
    error: data ? null : error,
    isPending,
    /** Rows of another question, kept by `keep`. */
    isStale: list.isPlaceholderData,
    refetch,
    ...(hasNextPage && { more: { isLoading: isFetchingNextPage, load: () => void fetchNextPage() } }),
  };
}

/** Whether things of a resource may be changed here; the server decides in the end. */
export const useMayEdit = (resource: string): boolean => useCanAccess({ resource, action: 'edit' }).canAccess ?? false;

type Done<Data> = Exclude<Data, Schema<'ApprovalRequestView'>>;

/** What makes a call that is repeated the same one for the server. */
export type Once = { headers: { 'Idempotency-Key': string } };
export const newOnce = (): Once => ({ headers: { 'Idempotency-Key': crypto.randomUUID() } });

/** What a call of the client resolves to. */
export type CallResult<Data> = Promise<{ data?: Data; response: Response }>;

export type ActionOptions<Input, Data> = {
  run: (input: Input) => CallResult<Data>;
  /** What is shown once it is done. */
  done?: string | ((data: Done<Data>, input: Input) => string);
  /** What it changes besides requests for approval. */
  stale: Stale[];
  /** After it is done, but not when it only became a request for approval. */
  onDone?: (data: Done<Data>, input: Input) => void;
  /** After either. */
  onSettled?: () => void;
};

/**
 * Changes something, reads again what is stale, and then shows `done`: it is pending until the screen shows the change,
 * so that nothing is done to what was before it. A 202 means that a second person decides. Whose screen was left before
 * the answer, by the back button for one, is told of a refusal all the same.
 */
export function useAction<Data = unknown, Input = void>({
  run,
  done,
  stale,
  onDone,
  onSettled,
}: ActionOptions<Input, Data>) {
  const client = useQueryClient();
  const notify = useNotify();
  const t = useTranslate();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useMutation({
    mutationFn: run,
    onError: (error) => {
      if (isShown.current) return;
      const message = t('action.notDone', { reason: messageOf(error, t) });
      notify(message, { type: 'error', messageArgs: { _: message } });
    },
    onSuccess: async ({ data, response }, input) => {
      const isRequest = response.status === 202;
      const read = markStale(client, ...(isRequest ? ['/approvals*', '/dashboard'] : stale));
      if (!isRequest) onDone?.(data as Done<Data>, input);
      onSettled?.();
      await read;
      const message = isRequest
        ? t('approvals.sent')
        : typeof done === 'function'
          ? done(data as Done<Data>, input)
          : done;
      if (message) notify(message, { type: 'info', messageArgs: { _: message } });
    },
  });
}
