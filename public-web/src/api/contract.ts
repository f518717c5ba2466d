/**
 * Holds the site's own words for the API to what the server publishes: the type check fails here when an answer
 * loses a key, or a value takes another form. Nothing of this reaches the browser.
 */
import type { paths } from '@agio/client/public';
import type { AccountCalls } from './account';
import type { Answer, CallName } from './calls';

type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : never;

/** What the server publishes as the good answer of a call. */
type Published<Name extends CallName> = Name extends `${infer Method} ${infer Path}`
  ? `/api/v1${Path}` extends infer At extends keyof paths
    ? paths[At] extends Record<Lowercase<Method>, { responses: infer Responses }>
      ? Json<Responses extends { 200: infer Good } ? Good : Responses extends { 201: infer Good } ? Good : never>
      : never
    : never
  : never;

/** Words of a closed list are published as any words; the forms must agree, not the lists. */
type Loose<T> = T extends string
  ? string
  : T extends (infer Item)[]
    ? Loose<Item>[]
    : T extends object
      ? { [Key in keyof T]: Loose<T[Key]> }
      : T;

/** The name of a call whose published answer can't be read as the site reads it. */
type Differing<Name extends CallName> = [Published<Name>] extends [never]
  ? `not published: ${Name}`
  : Published<Name> extends Loose<Answer<Name>>
    ? never
    : `differs: ${Name}`;

type Differences = { [Name in Exclude<CallName, keyof AccountCalls>]: Differing<Name> }[Exclude<
  CallName,
  keyof AccountCalls
>];

/** Nothing may differ; when something does, the check names it here. */
export const AGREED: [Differences] extends [never] ? true : Differences = true;
