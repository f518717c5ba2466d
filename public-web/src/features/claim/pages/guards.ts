import { type LoaderFunctionArgs, redirect } from 'react-router';
import { rememberedClaim } from '../../../claimMemory';
import { localeOf } from '../../../i18n/locale';
import { pathsFor } from '../../../paths';

const homeOf = (request: Request) => pathsFor(localeOf(new URL(request.url).pathname)).home();

/**
 * The page of the claim in progress opens only when there is one; otherwise the home page, with the dialog that finds
 * claims by email.
 */
export function claimGuard({ request }: LoaderFunctionArgs): null {
  if (rememberedClaim() === null) throw redirect(`${homeOf(request)}#find`);
  return null;
}

/** A final page needs a claim. */
export function finalGuard({ request }: LoaderFunctionArgs): null {
  if (!new URL(request.url).searchParams.get('id')) throw redirect(homeOf(request));
  return null;
}
