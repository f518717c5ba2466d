/**
 * The console's API as functions. How a call travels (address, token, retry, language) is the transport's business.
 */
import type {
  Claim,
  ClaimPage,
  ClaimQuery,
  Currency,
  CurrencyPatch,
  Dashboard,
  Id,
  MovementInput,
  MovementPage,
  Pair,
  PairBulk,
  PairPatch,
  PairPreview,
  PoolRequisite,
  PoolRequisiteInput,
  Rates,
  Reserve,
  Setting,
  Staff,
  TechnicalMode,
  TransitionInput,
} from './admin-shapes.ts';

export type * from './admin-shapes.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type Call = {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Set where a doubled request would create or move something twice. */
  idempotencyKey?: string;
  signal?: AbortSignal;
};

/** Sends one call to the console's API, `path` from its root, and reads the JSON answer. */
export type Send = <T>(method: Method, path: string, call?: Call) => Promise<T>;

export type AdminApi = ReturnType<typeof adminApi>;

const at = (part: string | number) => encodeURIComponent(String(part));

export function adminApi(send: Send) {
  return {
    me: () => send<Staff>('GET', '/auth/me'),
    dashboard: () => send<Dashboard>('GET', '/dashboard'),

    claims: (query: ClaimQuery, signal?: AbortSignal) => send<ClaimPage>('GET', '/claims', { query, signal }),
    claim: (id: Id, signal?: AbortSignal) => send<Claim>('GET', `/claims/${at(id)}`, { signal }),
    moveClaim: (id: Id, body: TransitionInput) => send<Claim>('POST', `/claims/${at(id)}/transitions`, { body }),
    lockClaim: (id: Id) => send<Claim>('POST', `/claims/${at(id)}/lock`),
    unlockClaim: (id: Id) => send<Claim>('POST', `/claims/${at(id)}/unlock`),
    noteClaim: (id: Id, text: string) => send<Claim>('POST', `/claims/${at(id)}/notes`, { body: { text } }),

    currencies: () => send<Currency[]>('GET', '/currencies'),
    updateCurrency: (id: number, body: CurrencyPatch) => send<Currency>('PATCH', `/currencies/${at(id)}`, { body }),

    pairs: () => send<Pair[]>('GET', '/pairs'),
    updatePair: (id: number, body: PairPatch) => send<Pair>('PATCH', `/pairs/${at(id)}`, { body }),
    updatePairs: (body: PairBulk) => send<Pair[]>('POST', '/pairs/bulk', { body }),
    previewPair: (id: number, body: PairPatch, signal?: AbortSignal) =>
      send<PairPreview>('POST', `/pairs/${at(id)}/preview`, { body, signal }),

    reserves: () => send<Reserve[]>('GET', '/reserves'),
    movements: (currencyId: number, cursor?: string) =>
      send<MovementPage>('GET', `/reserves/${at(currencyId)}/movements`, { query: { cursor } }),
    moveReserve: (currencyId: number, body: MovementInput, idempotencyKey: string) =>
      send<Reserve>('POST', `/reserves/${at(currencyId)}/movements`, { body, idempotencyKey }),

    requisites: () => send<PoolRequisite[]>('GET', '/requisites'),
    addRequisite: (body: PoolRequisiteInput, idempotencyKey: string) =>
      send<PoolRequisite>('POST', '/requisites', { body, idempotencyKey }),
    updateRequisite: (id: Id, body: Partial<PoolRequisiteInput>) =>
      send<PoolRequisite>('PATCH', `/requisites/${at(id)}`, { body }),

    settings: () => send<Setting[]>('GET', '/settings'),
    saveSettings: (body: Record<string, string>) => send<Setting[]>('PUT', '/settings', { body }),

    tech: () => send<TechnicalMode>('GET', '/tech'),
    setTech: (body: TechnicalMode) => send<TechnicalMode>('PUT', '/tech', { body }),

    rates: () => send<Rates>('GET', '/rates'),
  };
}
