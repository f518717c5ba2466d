import type { ListPage } from '../../../api/types';
import { Link } from '../../../components/Link';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import styles from './Pager.module.css';
import { pagesAround } from './pages';

export function Pager({ list: { page, size, total, items } }: { list: ListPage<unknown> }) {
  const t = useT('account');
  const paths = usePaths();
  const last = Math.max(1, Math.ceil(total / size));
  const first = (page - 1) * size + 1;
  return (
    <nav className={styles.pager} aria-label={t('orders.pages')}>
      <p className="small muted num" aria-live="polite">
        {items.length > 0 ? t('orders.range', { first, last: first + items.length - 1, total }) : null}
      </p>
      {last > 1 || page > last ? (
        <ul className="num">
          {pagesAround(page, last).map((one, index) => (
            <li key={one ?? `gap ${index}`}>
              {one === null ? (
                <span aria-hidden="true">…</span>
              ) : (
                <Link
                  to={paths.orders(one)}
                  aria-label={t('orders.page', { page: one })}
                  aria-current={one === page ? 'page' : undefined}
                >
                  {one}
                </Link>
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </nav>
  );
}
