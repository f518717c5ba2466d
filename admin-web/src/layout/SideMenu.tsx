import Tooltip from '@mui/material/Tooltip';
import { useCanAccessResources } from 'react-admin';
import { NavLink } from 'react-router';
import { useDashboard } from '../api/index.ts';
import { useTexts } from '../ui/index.ts';
import css from './SideMenu.module.css';
import { GROUPS, type Screen } from './screens.ts';

/** Which screens the staff member may open. */
export function useScreens(): (screen: Screen) => boolean {
  const resources = GROUPS.flatMap((group) => group.screens.map((screen) => screen.resource));
  const { canAccess } = useCanAccessResources({ resources, action: 'read' });
  return (screen) => canAccess?.[screen.resource] ?? false;
}

export function SideMenu({ folded }: { folded: boolean }) {
  const { t } = useTexts();
  const open = useScreens();
  return (
    <nav className={folded ? css.folded : css.menu} aria-label={t('layout.menu')}>
      {GROUPS.map((group) => ({ ...group, screens: group.screens.filter(open) }))
        .filter((group) => group.screens.length > 0)
        .map((group) => (
          <div key={group.name ?? 'daily'} className={css.group}>
            {group.name && <p className={css.name}>{t(`menu.${group.name}`)}</p>}
            <ul>
              {group.screens.map((screen) => (
                <li key={screen.path}>
                  <ScreenLink screen={screen} folded={folded} />
                </li>
              ))}
            </ul>
          </div>
        ))}
    </nav>
  );
}

function ScreenLink({ screen, folded }: { screen: Screen; folded: boolean }) {
  const { t } = useTexts();
  const Icon = screen.icon;
  const label = t(`screens.${screen.resource}`);
  return (
    <Tooltip title={folded ? label : ''} placement="right">
      <NavLink className={css.link} to={screen.path} end={screen.path === '/'}>
        <Icon fontSize="small" className={css.icon} />
        <span className={css.label}>{label}</span>
        <ScreenCount screen={screen} />
      </NavLink>
    </Tooltip>
  );
}

export function ScreenCount({ screen }: { screen: Screen }) {
  const { t } = useTexts();
  const { data } = useDashboard();
  const count = data && screen.count ? screen.count(data) : 0;
  if (count === 0) return null;
  return (
    <span className={screen.act ? css.act : css.trouble}>
      {count}
      <span className="visually-hidden"> {t(screen.act ? 'menu.waiting' : 'menu.troubles')}</span>
    </span>
  );
}
