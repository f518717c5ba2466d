import Tooltip from '@mui/material/Tooltip';
import { useCanAccessResources } from 'react-admin';
import { NavLink } from 'react-router';
import { useDashboard } from '../api/queries.ts';
import { useWords } from '../ui/useWords.ts';
import { GROUPS, type Room } from './rooms.ts';
import css from './SideMenu.module.css';

/** Which of the rooms this person may enter. */
export function useRooms(): (room: Room) => boolean {
  const resources = GROUPS.flatMap((group) => group.rooms.map((room) => room.resource));
  const { canAccess } = useCanAccessResources({ resources, action: 'read' });
  return (room) => canAccess?.[room.resource] ?? false;
}

export function SideMenu({ folded }: { folded: boolean }) {
  const { t } = useWords();
  const open = useRooms();
  return (
    <nav className={folded ? css.folded : css.menu} aria-label={t('layout.menu')}>
      {GROUPS.map((group) => ({ ...group, rooms: group.rooms.filter(open) }))
        .filter((group) => group.rooms.length > 0)
        .map((group) => (
          <div key={group.name ?? 'desk'} className={css.group}>
            {group.name && <p className={css.name}>{t(`menu.${group.name}`)}</p>}
            <ul>
              {group.rooms.map((room) => (
                <li key={room.path}>
                  <RoomLink room={room} folded={folded} />
                </li>
              ))}
            </ul>
          </div>
        ))}
    </nav>
  );
}

function RoomLink({ room, folded }: { room: Room; folded: boolean }) {
  const { t } = useWords();
  const Icon = room.icon;
  const label = t(`rooms.${room.resource}`);
  return (
    <Tooltip title={folded ? label : ''} placement="right">
      <NavLink className={css.link} to={room.path} end={room.path === '/'}>
        <Icon fontSize="small" className={css.icon} />
        <span className={css.label}>{label}</span>
        <RoomCount room={room} />
      </NavLink>
    </Tooltip>
  );
}

export function RoomCount({ room }: { room: Room }) {
  const { t } = useWords();
  const { data } = useDashboard();
  const count = data && room.count ? room.count(data) : 0;
  if (count === 0) return null;
  return (
    <span className={room.act ? css.act : css.trouble}>
      {count}
      <span className="visually-hidden"> {t(room.act ? 'menu.waiting' : 'menu.troubles')}</span>
    </span>
  );
}
