import AccountBalanceWalletOutlined from '@mui/icons-material/AccountBalanceWalletOutlined';
import CreditCardOffOutlined from '@mui/icons-material/CreditCardOffOutlined';
import DescriptionOutlined from '@mui/icons-material/DescriptionOutlined';
import RemoveCircleOutlineOutlined from '@mui/icons-material/RemoveCircleOutlineOutlined';
import type { ReactNode } from 'react';
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

/** What a row says: its name, what is the matter, how bad it is, and where to go. */
function useRow(item: DashboardItem): {
  name: ReactNode;
  text: ReactNode;
  measure?: ReactNode;
  to: string;
  label: string;
} {
  const { t, amountText } = useTexts();
  const { kind, id, from, to, available, floor } = item;
  const pair = `${from} → ${to}`;
  switch (kind) {
    case 'claim':
      return {
        name: `№\u00a0${item.publicId}`,
        text: (
          <>
            <strong>{t(`statusFull.${item.status}`)}.</strong> {pair}
          </>
        ),
        measure: item.dueAt && <ClaimFuse dueAt={item.dueAt} />,
        to: `/claims/${id}`,
        label: t('action.open'),
      };
    case 'reserve':
      return {
        name: from,
        text: t('dashboard.free', { available: amountText(available ?? '0'), floor: amountText(floor ?? '0') }),
        measure: <Gauge available={available ?? '0'} floor={floor ?? '0'} />,
        to: `/reserves?currency=${id}`,
        label: t('dashboard.topUp'),
      };
    case 'pair':
      return { name: pair, text: t(`pairState.${item.status}`), to: `/pairs?pair=${id}`, label: t('dashboard.look') };
    case 'details':
      return {
        name: from,
        text: t('dashboard.noDetails'),
        to: `/requisites?currency=${id}`,
        label: t('dashboard.look'),
      };
  }
}

function Row({ item }: { item: DashboardItem }) {
  const Icon = ICONS[item.kind];
  const { name, text, measure, to, label } = useRow(item);
  return (
    <li className={css.row}>
      <Icon className={css.icon} aria-hidden="true" />
      <strong className={css.name}>{name}</strong>
      <p className={css.text}>{text}</p>
      <span className={css.measure}>{measure}</span>
      <Button component={Link} to={to}>
        {label}
      </Button>
    </li>
  );
}

/** The whole of the fuse is half an hour here: the list is about what is near. */
function ClaimFuse({ dueAt }: { dueAt: string }) {
  return <Fuse dueAt={dueAt} since={new Date(Date.parse(dueAt) - 30 * 60_000).toISOString()} />;
}

const Gauge = ({ available, floor }: { available: string; floor: string }) => (
  <span className={css.gauge} aria-hidden="true">
    <span className={css.level} style={{ width: `${share(available, floor) * 100}%` }} />
  </span>
);
