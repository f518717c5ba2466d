import { useLocation } from 'react-router';
import { Information } from '../../content/Information';
import type { InfoPage } from '../../content/pageText';
import { ContactPart } from './ContactPart';

/** The page named by the address, with the operator's text. */
export function Component() {
  const { pathname } = useLocation();
  const page = pathname.replace(/^\/en(?=\/)/, '').split('/')[1] as InfoPage;
  return (
    <Information key={page} page={page}>
      {page === 'contacts' ? <ContactPart /> : null}
    </Information>
  );
}
