import { type ComponentType, lazy } from 'react';
import { Admin, CustomRoutes, Resource } from 'react-admin';
import { Route } from 'react-router';
import { authProvider } from './api/authProvider.ts';
import { dataProvider } from './api/dataProvider.ts';
import { queryClient } from './api/queryClient.ts';
import { ClaimsQueue } from './claims/ClaimsQueue.tsx';
import { DashboardScreen } from './dashboard/DashboardScreen.tsx';
import { i18nProvider } from './i18n/provider.ts';
import { ConsoleLayout } from './layout/ConsoleLayout.tsx';
import { Guard, UnknownScreen } from './layout/Guard.tsx';
import { siteName } from './layout/siteName.ts';
import { Restore } from './signin/Restore.tsx';
import { SignIn } from './signin/SignIn.tsx';
import { Welcome } from './signin/Welcome.tsx';
import { darkTheme, lightTheme } from './theme/theme.ts';

const SecurityScreen = lazy(() => import('./security/SecurityScreen.tsx'));

/**
 * The resources by their path; `access` names what guards one where it is not the path. A record's route keeps the
 * screen mounted, since its list stays beside it.
 */
const RESOURCES: { name: string; access?: string; record?: string; Screen: ComponentType }[] = [
  { name: 'verifications', record: ':id?', Screen: lazy(() => import('./verifications/VerificationsScreen.tsx')) },
  { name: 'referral', record: ':id?', Screen: lazy(() => import('./referral/ReferralScreen.tsx')) },
  { name: 'pairs', Screen: lazy(() => import('./pairs/PairsScreen.tsx')) },
  { name: 'reserves', Screen: lazy(() => import('./reserves/ReservesScreen.tsx')) },
  { name: 'turnover', Screen: lazy(() => import('./turnover/TurnoverScreen.tsx')) },
  { name: 'requisites', Screen: lazy(() => import('./requisites/RequisitesScreen.tsx')) },
  { name: 'currencies', Screen: lazy(() => import('./currencies/CurrenciesScreen.tsx')) },
  { name: 'rates', Screen: lazy(() => import('./rates/RatesScreen.tsx')) },
  { name: 'contests', record: ':id?', Screen: lazy(() => import('./contests/ContestsScreen.tsx')) },
  { name: 'payments', Screen: lazy(() => import('./payments/PaymentsScreen.tsx')) },
  { name: 'plugins', Screen: lazy(() => import('./plugins/PluginsScreen.tsx')) },
  { name: 'aggregators', Screen: lazy(() => import('./aggregators/AggregatorsScreen.tsx')) },
  { name: 'discounts', Screen: lazy(() => import('./discounts/DiscountsScreen.tsx')) },
  { name: 'partners', record: ':id?', Screen: lazy(() => import('./partners/PartnersScreen.tsx')) },
  { name: 'approvals', Screen: lazy(() => import('./approvals/ApprovalsScreen.tsx')) },
  { name: 'audit', Screen: lazy(() => import('./audit/AuditScreen.tsx')) },
  { name: 'mail', Screen: lazy(() => import('./mail/MailScreen.tsx')) },
  { name: 'pages', access: 'content', record: ':page?', Screen: lazy(() => import('./content/PagesScreen.tsx')) },
  { name: 'news', record: ':id?', Screen: lazy(() => import('./news/NewsScreen.tsx')) },
  { name: 'reviews', Screen: lazy(() => import('./reviews/ReviewsScreen.tsx')) },
  { name: 'customers', Screen: lazy(() => import('./customers/CustomersScreen.tsx')) },
  { name: 'tech', Screen: lazy(() => import('./tech/TechScreen.tsx')) },
  { name: 'brand', Screen: lazy(() => import('./brand/BrandScreen.tsx')) },
  { name: 'settings', Screen: lazy(() => import('./settings/SettingsScreen.tsx')) },
  { name: 'staff', Screen: lazy(() => import('./staff/StaffScreen.tsx')) },
];

export function App() {
  return (
    <Admin
      authProvider={authProvider}
      catchAll={UnknownScreen}
      dashboard={DashboardScreen}
      dataProvider={dataProvider}
      darkTheme={darkTheme}
      disableTelemetry
      i18nProvider={i18nProvider}
      layout={ConsoleLayout}
      loginPage={SignIn}
      queryClient={queryClient}
      requireAuth
      theme={lightTheme}
      title={siteName}
    >
      {RESOURCES.map(({ name, access = name, record = '', Screen }) => (
        <Resource key={name} name={name}>
          <Route path={record} element={<Guard resource={access} screen={<Screen />} />} />
        </Resource>
      ))}
      <CustomRoutes>
        <Route path="/claims/:id?" element={<Guard resource="claims" screen={<ClaimsQueue />} />} />
        <Route path="/security" element={<SecurityScreen />} />
      </CustomRoutes>
      <CustomRoutes noLayout>
        <Route path="/welcome" element={<Welcome />} />
        <Route path="/restore" element={<Restore />} />
      </CustomRoutes>
    </Admin>
  );
}
