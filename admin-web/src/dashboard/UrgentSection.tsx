import AccountBalanceWalletOutlined from '@mui/icons-material/AccountBalanceWalletOutlined';
import CreditCardOffOutlined from '@mui/icons-material/CreditCardOffOutlined';
import DescriptionOutlined from '@mui/icons-material/DescriptionOutlined';
import RemoveCircleOutlineOutlined from '@mui/icons-material/RemoveCircleOutlineOutlined';
import { Link } from 'react-router';
import { share } from '../ui/decimal.ts';
import { Button, Fuse, useTexts } from '../ui/index.ts';
import css from './Dashboard.module.css';
import type { DashboardItem, Section, SectionName } from './urgent.ts';

const ICONS: Record<DashboardItem['kind'], typeof DescriptionOutlined> = {
  claim: DescriptionOutlined,
  reserve: AccountBalanceWalletOutlined,
  pair: RemoveCircleOutlineOutlined,
  details: CreditCardOffOutlined,
};
/** Where the rest of a section is. */
const SCREENS: Record<SectionName, string> = {
  late: '/claims',
  soon: '/claims',
  later: '/claims',
  pair: '/pairs',
  reserve: '/reserves',
  details: '/requisites',
};
/** One failed source can suspend a hundred directions: the first few are enough. */
const SHOWN = 12;

export function UrgentSection({ section }: { section: Section }) {
  const { t } = useTexts();
  const { name, items } = section;
  const rest = items.length - SHOWN;
  return (
    <>
      <h2 className={css.heading}>
        <span className={name === 'late' || name === 'pair' || name === 'details' ? css.late : undefined}>
          {t(`dashboard.sections.${name}`)}
        </span>
        <span className={css.note}>{t(`dashboard.notes.${name}`)}</span>
      </h2>
      <ul>
        {items.slice(0, SHOWN).map((item) => (
          <Row key={`${item.kind}-${item.id}`} item={item} />
        ))}
        {rest > 0 && (
          <li className={css.more}>
            <Link to={SCREENS[name]}>{t(`dashboard.more.${name}`, { smart_count: rest })}</Link>
          </li>
        )}
      </ul>
    </>
  );
}

function Row({ item }: { item: DashboardItem }) {
  const Icon = ICONS[item.kind];
  return (
    <li className={css.row}>
      <Icon className={css.icon} aria-hidden="true" />
      {item.kind === 'claim' && <ClaimItem item={item} />}
      {item.kind === 'reserve' && <ReserveItem item={item} />}
      {item.kind === 'pair' && <PairItem item={item} />}
      {item.kind === 'details' && <DetailsItem item={item} />}
    </li>
  );
}

function ClaimItem({ item }: { item: DashboardItem }) {
  const { t } = useTexts();
  return (
    <>
      <strong className={css.name}>№&nbsp;{item.publicId}</strong>
      <p className={css.text}>
        <strong>{t(`statusFull.${item.status}`)}.</strong> {item.from} → {item.to}
      </p>
      <span className={css.measure}>{item.dueAt && <ClaimFuse dueAt={item.dueAt} />}</span>
      <Button component={Link} to={`/claims/${item.id}`}>
        {t('action.open')}
      </Button>
    </>
  );
}

/** The whole of the fuse is half an hour here: the list is about what is near. */
function ClaimFuse({ dueAt }: { dueAt: string }) {
  return <Fuse dueAt={dueAt} since={new Date(Date.parse(dueAt) - 30 * 60_000).toISOString()} />;
}

function ReserveItem({ item }: { item: DashboardItem }) {
  const { t, amountText } = useTexts();
  const available = item.available ?? '0';
  const floor = item.floor ?? '0';
  const amounts = { available: amountText(available), floor: amountText(floor) };
  return (
    <>
      <strong className={css.name}>{item.from}</strong>
      <p className={css.text}>{t('dashboard.free', amounts)}</p>
      <span className={css.measure} aria-hidden="true">
        <span className={css.gauge}>
          <span className={css.level} style={{ width: `${share(available, floor) * 100}%` }} />
        </span>
      </span>
      <Button component={Link} to={`/reserves?currency=${item.id}`}>
        {t('dashboard.topUp')}
      </Button>
    </>
  );
}

function PairItem({ item }: { item: DashboardItem }) {
  const { t } = useTexts();
  return (
    <>
      <strong className={css.name}>
        {item.from} → {item.to}
      </strong>
      <p className={css.text}>{t(`pairState.${item.status}`)}</p>
      <span className={css.measure} />
      <Button component={Link} to={`/pairs?pair=${item.id}`}>
        {t('dashboard.look')}
      </Button>
    </>
  );
}

function DetailsItem({ item }: { item: DashboardItem }) {
  const { t } = useTexts();
  return (
    <>
      <strong className={css.name}>{item.from}</strong>
      <p className={css.text}>{t('dashboard.noDetails')}</p>
      <span className={css.measure} />
      <Button component={Link} to={`/requisites?currency=${item.id}`}>
        {t('dashboard.look')}
      </Button>
    </>
  );
}
