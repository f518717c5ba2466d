import MoreHorizOutlined from '@mui/icons-material/MoreHorizOutlined';
import MenuItem from '@mui/material/MenuItem';
import { useRef, useState } from 'react';
import { NavLink, useNavigate } from 'react-router';
import { Drop, useTexts } from '../ui/index.ts';
import css from './PhoneBar.module.css';
import { ScreenCount, useScreens } from './SideMenu.tsx';
import { GROUPS, PHONE_SCREENS } from './screens.ts';

/** The four places an operator on foot needs, and the rest behind one button. */
export function PhoneBar() {
  const { t } = useTexts();
  const navigate = useNavigate();
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const mayOpen = useScreens();
  const screens = GROUPS.flatMap((group) => group.screens).filter(mayOpen);
  const near = screens.filter((screen) => PHONE_SCREENS.includes(screen.path));
  const far = screens.filter((screen) => !PHONE_SCREENS.includes(screen.path));
  const go = (path: string) => {
    setOpen(false);
    navigate(path);
  };
  return (
    <nav className={css.bar} aria-label={t('layout.menu')}>
      {near.map((screen) => (
        <NavLink key={screen.path} to={screen.path} end={screen.path === '/'} className={css.link}>
          <screen.icon fontSize="small" />
          <span>{t(`screens.${screen.resource}`)}</span>
          <span className={css.count}>
            <ScreenCount screen={screen} />
          </span>
        </NavLink>
      ))}
      {far.length > 0 && (
        <button ref={anchor} type="button" className={css.link} aria-haspopup="menu" onClick={() => setOpen(true)}>
          <MoreHorizOutlined fontSize="small" />
          <span>{t('menu.more')}</span>
        </button>
      )}
      <Drop anchor={anchor} open={open} onClose={() => setOpen(false)}>
        {far.map((screen) => (
          <MenuItem key={screen.path} onClick={() => go(screen.path)}>
            {t(`screens.${screen.resource}`)}
          </MenuItem>
        ))}
      </Drop>
    </nav>
  );
}
