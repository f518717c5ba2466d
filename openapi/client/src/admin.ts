/** The console's API, typed by the published document. */
import createClient, { type Client, type MethodResponse } from 'openapi-fetch';
import type { components, paths } from './generated/admin.ts';

const ROOT = '/api/admin/v1';

/** The operations by their path below the root, as every call names them: `/claims/{id}`. */
export type AdminPaths = {
  [Path in keyof paths as Path extends `${typeof ROOT}${infer Rest}` ? Rest : never]: paths[Path];
};

/** A type by its published name: `Schema<'ClaimDetails'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

export type AdminClient = Client<AdminPaths>;
export type GetPath = {
  [Path in keyof AdminPaths]: AdminPaths[Path] extends { get: object } ? Path : never;
}[keyof AdminPaths];
export type Answer<Path extends GetPath> = MethodResponse<AdminClient, 'get', Path>;

/** Sends a request and returns its successful response; anything else it throws. */
export type Send = (request: Request) => Promise<Response>;

/** `origin` is where the server is, when that is not where the page is. */
export const adminClient = (send: Send, origin = ''): AdminClient =>
  createClient<AdminPaths>({ baseUrl: origin + ROOT, fetch: send });
