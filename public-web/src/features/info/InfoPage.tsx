import { useLocation } from 'react-router';
import { BrandMarkup } from '../../components/BrandMarkup';
import { Information } from '../../content/Information';
import type { InfoPage } from '../../content/pageText';
import { ContactPart } from './ContactPart';
import styles from './contact.module.css';

/** The page named by the address, with the operator's text. */
export function Component() {
  const { pathname } = useLocation();
  const page = pathname.replace(/^\/en(?=\/)/, '').split('/')[1] as InfoPage;
  return (
    <Information key={page} page={page}>
      {page === 'contacts' ? (
        <>
          <BrandMarkup part="contacts" as="ul" className={styles.contacts} />
          <ContactPart />
        </>
      ) : null}
    </Information>
  );
}
