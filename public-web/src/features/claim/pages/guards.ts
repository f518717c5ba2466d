import { type LoaderFunctionArgs, redirect } from 'react-router';
import { rememberedClaim } from '../../../claimMemory';
import { localeOf } from '../../../i18n/locale';
import { pathsFor } from '../../../paths';

const homeOf = (request: Request) => pathsFor(localeOf(new URL(request.url).pathname)).home();

/**
 * The claim guard: the page of the claim in progress opens only when there is one, else home, to the dialog that finds claims by
 * e-mail: who comes here looks for one.
 */
export function claimGuard({ request }: LoaderFunctionArgs): null {
  if (rememberedClaim() === null) throw redirect(`${homeOf(request)}#find`);
  return null;
}

/** A final page is some claim's page; without one there is nothing to show. */
export function finalGuard({ request }: LoaderFunctionArgs): null {
  if (!new URL(request.url).searchParams.get('id')) throw redirect(homeOf(request));
  return null;
}
