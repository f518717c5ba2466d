/** The calls of the public API: parameters, bodies and answers, derived from the published document. */
import type { paths } from '@agio/client/public';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Calls are named without their root; signing in has a root of its own. */
type Short<Path extends string> = Path extends `/api/v1${infer Rest}` ? Rest : Path;

type Path = keyof paths & string;

/** A call by its method and path: `GET /claim/{id}/status/`. */
export type CallName = {
  [P in Path]: {
    [M in Method]: paths[P][M] extends { responses: unknown } ? `${Uppercase<M>} ${Short<P>}` : never;
  }[Method];
}[Path];

type Find<P extends string, M extends Method> = {
  [Q in Path]: Short<Q> extends P ? paths[Q][M] : never;
}[Path];

type Operation<C extends CallName> = C extends `${infer M} ${infer P}`
  ? Lowercase<M> extends infer Lower extends Method
    ? Find<P, Lower>
    : never
  : never;

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The body of a successful answer. */
export type Answer<C extends CallName> =
  Operation<C> extends { responses: infer Responses } ? Json<Responses[keyof Responses & (200 | 201 | 202)]> : never;

type Parameters<C extends CallName> = Operation<C> extends { parameters: infer Given } ? Given : never;

export type Body<C extends CallName> =
  Operation<C> extends { requestBody?: infer Taken }
    ? NonNullable<Taken> extends { content: { 'application/json': infer Sent } }
      ? Sent
      : NonNullable<Taken> extends { content: unknown }
        ? FormData
        : never
    : never;

type Query<C extends CallName> = Parameters<C> extends { query?: infer Q } ? NonNullable<Q> : never;

/** An optional parameter may be undefined: it is omitted. */
type Loose<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };

export type Ask<C extends CallName> = (Parameters<C> extends { path: infer P } ? { path: P } : unknown) &
  ([Query<C>] extends [never] ? unknown : { query?: Loose<Query<C>> }) &
  ([Body<C>] extends [never]
    ? unknown
    : Operation<C> extends { requestBody: unknown }
      ? { body: Body<C> }
      : { body?: Body<C> }) & {
    signal?: AbortSignal;
    /** A POST repeated with the same key and body gets the first answer. */
    idempotencyKey?: string;
    /** A background call: it does not show the loading bar. */
    quiet?: boolean;
  };
