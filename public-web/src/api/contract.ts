/**
 * Holds the site's own words for the API to what the server publishes: the type check fails here when an answer
 * loses a key, or a value takes another form. Nothing of this reaches the browser.
 */
import type { paths } from '@agio/client/public';
import type { Answer, CallName } from './calls';

type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : never;

/** Where a call is published: signing in has a root of its own. */
type At<Path extends string> = Path extends `/front-api/${string}` ? Path : `/api/v1${Path}`;

/** The good answer among those published; nothing where there is no content. */
type Good<Responses> = Responses extends { 200: infer Body }
  ? Json<Body>
  : Responses extends { 201: infer Body }
    ? Json<Body>
    : Responses extends { 204: unknown }
      ? undefined
      : never;

/** What the server publishes as the good answer of a call. */
type Published<Name extends CallName> = Name extends `${infer Method} ${infer Path}`
  ? At<Path> extends infer Where extends keyof paths
    ? paths[Where] extends Record<Lowercase<Method>, { responses: infer Responses }>
      ? Good<Responses>
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

type Differences = { [Name in CallName]: Differing<Name> }[CallName];

/** Nothing may differ; when something does, the check names it here. */
export const AGREED: [Differences] extends [never] ? true : Differences = true;
