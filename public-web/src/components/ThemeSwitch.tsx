import { useT } from '../i18n/texts';
import { Icon } from './Icon';
import styles from './ThemeSwitch.module.css';

/** Switches the theme and stores it; theme.js applies it before the first paint of the next page. */
export function ThemeSwitch() {
  const t = useT('common');
  const turn = () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : window.matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    try {
      localStorage.setItem('agio.theme', root.dataset.theme);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  };
  return (
    <button type="button" className={styles.switch} onClick={turn} aria-label={t('theme')}>
      <Icon name="moon" />
    </button>
  );
}
