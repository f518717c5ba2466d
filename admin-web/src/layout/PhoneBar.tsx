import MoreHorizOutlined from '@mui/icons-material/MoreHorizOutlined';
import MenuItem from '@mui/material/MenuItem';
import { useRef, useState } from 'react';
import { NavLink, useNavigate } from 'react-router';
import { Drop } from '../ui/Drop.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './PhoneBar.module.css';
import { GROUPS, PHONE_ROOMS } from './rooms.ts';
import { RoomCount, useRooms } from './SideMenu.tsx';

/** The four places an operator on foot needs, and the rest behind one button. */
export function PhoneBar() {
  const { t } = useWords();
  const navigate = useNavigate();
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const mayOpen = useRooms();
  const rooms = GROUPS.flatMap((group) => group.rooms).filter(mayOpen);
  const near = rooms.filter((room) => PHONE_ROOMS.includes(room.path));
  const far = rooms.filter((room) => !PHONE_ROOMS.includes(room.path));
  const go = (path: string) => {
    setOpen(false);
    navigate(path);
  };
  return (
    <nav className={css.bar} aria-label={t('layout.menu')}>
      {near.map((room) => (
        <NavLink key={room.path} to={room.path} end={room.path === '/'} className={css.link}>
          <room.icon fontSize="small" />
          <span>{t(`rooms.${room.resource}`)}</span>
          <span className={css.count}>
            <RoomCount room={room} />
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
        {far.map((room) => (
          <MenuItem key={room.path} onClick={() => go(room.path)}>
            {t(`rooms.${room.resource}`)}
          </MenuItem>
        ))}
      </Drop>
    </nav>
  );
}
