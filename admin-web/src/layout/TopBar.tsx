import DarkModeOutlined from '@mui/icons-material/DarkModeOutlined';
import HelpOutlineOutlined from '@mui/icons-material/HelpOutlineOutlined';
import LightModeOutlined from '@mui/icons-material/LightModeOutlined';
import { useTheme as useMuiTheme } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import { useTheme } from 'react-admin';
import { Link, useLocation } from 'react-router';
import { useConnection } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { clockText } from '../ui/format.ts';
import { IconButton, useTexts } from '../ui/index.ts';
import { helpAddress } from './help.ts';
import { LanguageSwitch } from './LanguageSwitch.tsx';
import { Mark } from './Mark.tsx';
import { SearchBox } from './SearchBox.tsx';
import { StaffMenu } from './StaffMenu.tsx';
import { siteName } from './siteName.ts';
import css from './TopBar.module.css';

export function TopBar({ phone }: { phone: boolean }) {
  return (
    <header className={css.bar}>
      <Link to="/" className={css.brand} aria-label={siteName}>
        <Mark />
        {!phone && <strong className={css.name}>{siteName}</strong>}
      </Link>
      <SearchBox />
      <span className={css.gap} />
      {!phone && <ConnectionState />}
      <HelpLink />
      <ThemeSwitch />
      {!phone && <LanguageSwitch />}
      <StaffMenu phone={phone} />
    </header>
  );
}

function ConnectionState() {
  const { t } = useTexts();
  const { state } = useConnection();
  const now = useNow();
  return (
    <p className={css.line}>
      <span className={state === 'up' ? css.up : css.down} aria-hidden="true" />
      {t(`layout.line.${state}`)}
      <span className={css.clock}>{clockText(now)}</span>
    </p>
  );
}

function HelpLink() {
  const { t, language } = useTexts();
  const { pathname } = useLocation();
  const label = t('layout.help');
  return (
    <Tooltip title={label}>
      <IconButton
        aria-label={label}
        component="a"
        href={helpAddress(pathname, language)}
        target="_blank"
        rel="noopener"
      >
        <HelpOutlineOutlined fontSize="small" />
      </IconButton>
    </Tooltip>
  );
}

function ThemeSwitch() {
  const { t } = useTexts();
  const [, setTheme] = useTheme();
  const dark = useMuiTheme().palette.mode === 'dark';
  const label = t(dark ? 'layout.light' : 'layout.dark');
  return (
    <Tooltip title={label}>
      <IconButton aria-label={label} onClick={() => setTheme(dark ? 'light' : 'dark')}>
        {dark ? <LightModeOutlined fontSize="small" /> : <DarkModeOutlined fontSize="small" />}
      </IconButton>
    </Tooltip>
  );
}
