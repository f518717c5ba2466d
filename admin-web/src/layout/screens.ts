import type { Schema } from '@agio/client/admin';
import AccountBalanceWalletOutlined from '@mui/icons-material/AccountBalanceWalletOutlined';
import ArticleOutlined from '@mui/icons-material/ArticleOutlined';
import BadgeOutlined from '@mui/icons-material/BadgeOutlined';
import BuildOutlined from '@mui/icons-material/BuildOutlined';
import CurrencyExchangeOutlined from '@mui/icons-material/CurrencyExchangeOutlined';
import DescriptionOutlined from '@mui/icons-material/DescriptionOutlined';
import EmojiEventsOutlined from '@mui/icons-material/EmojiEventsOutlined';
import ExtensionOutlined from '@mui/icons-material/ExtensionOutlined';
import GridOnOutlined from '@mui/icons-material/GridOnOutlined';
import GroupAddOutlined from '@mui/icons-material/GroupAddOutlined';
import GroupOutlined from '@mui/icons-material/GroupOutlined';
import HandshakeOutlined from '@mui/icons-material/HandshakeOutlined';
import HistoryOutlined from '@mui/icons-material/HistoryOutlined';
import HowToRegOutlined from '@mui/icons-material/HowToRegOutlined';
import KeyOutlined from '@mui/icons-material/KeyOutlined';
import LocalOfferOutlined from '@mui/icons-material/LocalOfferOutlined';
import MailOutlined from '@mui/icons-material/MailOutlined';
import NewspaperOutlined from '@mui/icons-material/NewspaperOutlined';
import PaletteOutlined from '@mui/icons-material/PaletteOutlined';
import PaymentsOutlined from '@mui/icons-material/PaymentsOutlined';
import PeopleAltOutlined from '@mui/icons-material/PeopleAltOutlined';
import PodcastsOutlined from '@mui/icons-material/PodcastsOutlined';
import ReviewsOutlined from '@mui/icons-material/ReviewsOutlined';
import ShowChartOutlined from '@mui/icons-material/ShowChartOutlined';
import SummarizeOutlined from '@mui/icons-material/SummarizeOutlined';
import TuneOutlined from '@mui/icons-material/TuneOutlined';
import ViewAgendaOutlined from '@mui/icons-material/ViewAgendaOutlined';
import type { ComponentType } from 'react';

/** A screen of the console: its path, the resource that guards it, and the number of things that wait in it. */
export type Screen = {
  path: string;
  resource: string;
  icon: ComponentType<{ className?: string; fontSize?: 'small' | 'inherit' }>;
  count?: (dashboard: Schema<'Dashboard'>) => number;
  /** Yellow counts wait for the operator; the rest are problems, in red. */
  act?: boolean;
};

const problems = (kind: 'reserve' | 'pair') => (dashboard: Schema<'Dashboard'>) =>
  dashboard.items.filter((item) => item.kind === kind).length;

export const GROUPS: { name: string | null; screens: Screen[] }[] = [
  {
    name: null,
    screens: [
      { path: '/', resource: 'dashboard', icon: ViewAgendaOutlined },
      {
        path: '/claims',
        resource: 'claims',
        icon: DescriptionOutlined,
        count: (dashboard) => dashboard.claims.ours,
        act: true,
      },
      {
        path: '/approvals',
        resource: 'approvals',
        icon: HowToRegOutlined,
        count: (dashboard) => dashboard.approvals.yours,
        act: true,
      },
      { path: '/verifications', resource: 'verifications', icon: BadgeOutlined },
      {
        path: '/referral',
        resource: 'referral',
        icon: GroupAddOutlined,
        count: (dashboard) => dashboard.referral.commissions + dashboard.referral.withdrawals,
        act: true,
      },
      { path: '/customers', resource: 'customers', icon: PeopleAltOutlined },
      { path: '/reviews', resource: 'reviews', icon: ReviewsOutlined },
    ],
  },
  {
    name: 'exchange',
    screens: [
      { path: '/pairs', resource: 'pairs', icon: GridOnOutlined, count: problems('pair') },
      { path: '/reserves', resource: 'reserves', icon: AccountBalanceWalletOutlined, count: problems('reserve') },
      { path: '/turnover', resource: 'turnover', icon: SummarizeOutlined },
      { path: '/requisites', resource: 'requisites', icon: KeyOutlined },
      { path: '/payments', resource: 'payments', icon: PaymentsOutlined },
      { path: '/currencies', resource: 'currencies', icon: CurrencyExchangeOutlined },
      { path: '/rates', resource: 'rates', icon: ShowChartOutlined },
      { path: '/aggregators', resource: 'aggregators', icon: PodcastsOutlined },
      { path: '/contests', resource: 'contests', icon: EmojiEventsOutlined },
      { path: '/discounts', resource: 'discounts', icon: LocalOfferOutlined },
      { path: '/partners', resource: 'partners', icon: HandshakeOutlined },
    ],
  },
  {
    name: 'system',
    screens: [
      { path: '/pages', resource: 'content', icon: ArticleOutlined },
      { path: '/news', resource: 'news', icon: NewspaperOutlined },
      {
        path: '/mail',
        resource: 'mail',
        icon: MailOutlined,
        count: (dashboard) => dashboard.mail.dead + dashboard.notices.dead,
      },
      {
        path: '/audit',
        resource: 'audit',
        icon: HistoryOutlined,
        count: (dashboard) => dashboard.audit.faults.length,
      },
      { path: '/plugins', resource: 'plugins', icon: ExtensionOutlined },
      { path: '/tech', resource: 'tech', icon: BuildOutlined },
      { path: '/brand', resource: 'brand', icon: PaletteOutlined },
      { path: '/settings', resource: 'settings', icon: TuneOutlined },
      { path: '/staff', resource: 'staff', icon: GroupOutlined },
    ],
  },
];

/** What stands at the bottom of a phone; the rest is behind "more". */
export const PHONE_SCREENS = ['/', '/claims', '/reserves', '/tech'];
