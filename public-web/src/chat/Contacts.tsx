import { useLocation } from 'react-router';
import { BRAND } from '../brand';
import { BrandMarkup } from '../components/BrandMarkup';
import { Link } from '../components/Link';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { usePaths } from '../i18n/usePaths';
import { inLocale } from '../paths';
import { openAccountDialog } from '../session/accountDialog';
import { useSite } from '../site';
import css from './Chat.module.css';

/** The contacts of support, whether it is there now, the form, and the way back to a claim. */
export function Contacts({ onFindClaim }: { onFindClaim: () => void }) {
  const t = useT('chat');
  const common = useT('common');
  const locale = useLocale();
  const paths = usePaths();
  const { pathname } = useLocation();
  const { supportEmail } = useSite();
  return (
    <div className={css.contacts}>
      {BRAND.closed ? <p>{BRAND.closed}</p> : null}
      {supportEmail ? (
        <p>
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
        </p>
      ) : null}
      <BrandMarkup part="contacts" as="ul" />
      {/* Technical mode leads back from there. */}
      {pathname === paths.tech() ? null : <Link to={inLocale('/contacts', '', locale)}>{t('form')}</Link>}
      <button
        type="button"
        className="linkbtn"
        onClick={() => {
          onFindClaim();
          openAccountDialog({ kind: 'findClaim' });
        }}
      >
        {common('find_claim')}
      </button>
    </div>
  );
}
