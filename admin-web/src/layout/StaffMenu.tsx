import MenuItem from '@mui/material/MenuItem';
import { useRef, useState } from 'react';
import { useGetIdentity, useLogout } from 'react-admin';
import { useNavigate } from 'react-router';
import { Badge, Drop, useTexts } from '../ui/index.ts';
import css from './TopBar.module.css';

export function StaffMenu({ phone }: { phone: boolean }) {
  const { t, language, setLocale } = useTexts();
  const { identity } = useGetIdentity();
  const logout = useLogout();
  const navigate = useNavigate();
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const name = identity?.fullName ?? '';
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className={css.staff}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={t('layout.account', { name })}
        onClick={() => setOpen(true)}
      >
        <Badge name={name} mine />
        <span className={css.staffName}>{name}</span>
      </button>
      <Drop anchor={anchor} open={open} onClose={() => setOpen(false)}>
        <MenuItem disabled>{identity?.role ? t(`roles.${identity.role}`) : name}</MenuItem>
        {phone && (
          <MenuItem onClick={() => setLocale(language === 'ru' ? 'en' : 'ru')}>
            {language === 'ru' ? 'English' : 'Русский'}
          </MenuItem>
        )}
        <MenuItem
          onClick={() => {
            setOpen(false);
            navigate('/security');
          }}
        >
          {t('layout.security')}
        </MenuItem>
        <MenuItem onClick={() => void logout()}>{t('layout.signOut')}</MenuItem>
      </Drop>
    </>
  );
}
