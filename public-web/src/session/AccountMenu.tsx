import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { errorText } from '../api/errors';
import type { Customer } from '../api/types';
import { Icon } from '../components/Icon';
import { Link } from '../components/Link';
import { toast } from '../components/toasts';
import { useMenuClosing } from '../components/useMenuClosing';
import { useT } from '../i18n/texts';
import { usePaths } from '../i18n/usePaths';
import entry from './AccountEntry.module.css';
import styles from './AccountMenu.module.css';
import { signOut } from './tabSession';

/** The menu of the signed-in customer. */
export function AccountMenu({ customer }: { customer: Customer }) {
  const t = useT('account');
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  useClosing(box, isOpen, () => setOpen(false));
  useMenuClosing(panel, () => setOpen(false));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen) {
      setOpen(false);
      button.current?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape in any of its parts closes the menu.
    <div ref={box} className={styles.menu} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className={entry.entry}
        aria-expanded={isOpen}
        aria-controls={panelId}
        aria-label={t('menu.of', { email: customer.email })}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="person" />
        <span className={entry.name}>{customer.email}</span>
        <Icon name="chevron" className={styles.chevron} />
      </button>
      <div ref={panel} id={panelId} className={styles.panel} hidden={!isOpen}>
        <p className={styles.email}>{customer.email}</p>
        <Ways />
      </div>
    </div>
  );
}

function Ways() {
  const t = useT('account');
  const common = useT('common');
  const paths = usePaths();
  const leave = async () => {
    try {
      await signOut();
      toast(t('menu.signed_out'));
    } catch (error) {
      console.error(error);
      toast(errorText(error, common));
    }
  };
  return (
    <ul>
      <li>
        <Link to={paths.account()}>{t('overview')}</Link>
      </li>
      <li>
        <Link to={paths.orders()}>{t('orders')}</Link>
      </li>
      <li>
        <Link to={`${paths.account()}/referrer`}>{t('referrer')}</Link>
      </li>
      <li>
        <Link to={paths.discounts()}>{t('menu.discounts')}</Link>
      </li>
      <li>
        <Link to={paths.settings()}>{t('settings')}</Link>
      </li>
      <li className={styles.out}>
        <button type="button" onClick={leave}>
          {t('menu.sign_out')}
        </button>
      </li>
    </ul>
  );
}

/** Closes what is open when the visitor focuses or presses something else. */
function useClosing(box: { readonly current: HTMLElement | null }, isOpen: boolean, close: () => void): void {
  const run = useRef(close);
  run.current = close;
  useEffect(() => {
    if (!isOpen) return;
    const look = ({ target }: Event) => {
      if (!box.current?.contains(target as Node)) {
        run.current();
      }
    };
    document.addEventListener('pointerdown', look);
    document.addEventListener('focusin', look);
    return () => {
      document.removeEventListener('pointerdown', look);
      document.removeEventListener('focusin', look);
    };
  }, [box, isOpen]);
}
