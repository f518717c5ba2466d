import type { Page } from '../../page';
import { accountPage } from '../account/routes';

/** Getting back into an account. */
export const recoverPages: Page[] = [accountPage('recover', () => import('./RecoverPage'))];
