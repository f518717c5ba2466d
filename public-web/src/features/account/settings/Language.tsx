import { useLocation } from 'react-router';
import buttons from '../../../components/Button.module.css';
import { LOCALES, useLocale } from '../../../i18n/locale';
import { rememberLanguage } from '../../../i18n/rememberLanguage';
import { useT } from '../../../i18n/texts';
import { inLocale } from '../../../paths';
import styles from './settings.module.css';

/** The language of the pages and that of emails, which follows the sign-in. */
export function Language({ emails }: { emails: string }) {
  const t = useT('account');
  const current = useLocale();
  const { pathname } = useLocation();
  const emailsIn = emails === 'en' ? 'en' : 'ru';
  return (
    <>
      <div className={styles.languages}>
        {LOCALES.map((locale) => (
          <a
            key={locale}
            className={buttons.button}
            href={inLocale(pathname, '#language', locale)}
            lang={locale}
            hrefLang={locale}
            aria-current={locale === current ? 'true' : undefined}
            onClick={() => rememberLanguage(locale)}
          >
            {t(`language.${locale}`)}
          </a>
        ))}
      </div>
      <p className="muted">{t('language.emails', { language: t(`language.in_${emailsIn}`) })}</p>
    </>
  );
}
