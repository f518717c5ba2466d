import { QueryClient } from '@tanstack/react-query';
import { lazy } from 'react';
import { Admin, CustomRoutes } from 'react-admin';
import { Route } from 'react-router';
import { authProvider } from './api/authProvider.ts';
import { dataProvider } from './api/dataProvider.ts';
import { isProblem } from './api/problem.ts';
import { Desk } from './claims/Desk.tsx';
import { DashboardScreen } from './dashboard/DashboardScreen.tsx';
import { i18nProvider } from './i18n/provider.ts';
import { ConsoleLayout } from './layout/ConsoleLayout.tsx';
import { Guard } from './layout/Guard.tsx';
import { Restore } from './signin/Restore.tsx';
import { SignIn } from './signin/SignIn.tsx';
import { Welcome } from './signin/Welcome.tsx';
import { darkTheme, lightTheme } from './theme/theme.ts';

const PairsScreen = lazy(() => import('./pairs/PairsScreen.tsx'));
const CurrenciesScreen = lazy(() => import('./currencies/CurrenciesScreen.tsx'));
const ReservesScreen = lazy(() => import('./reserves/ReservesScreen.tsx'));
const RequisitesScreen = lazy(() => import('./requisites/RequisitesScreen.tsx'));
const RatesScreen = lazy(() => import('./rates/RatesScreen.tsx'));
const ContestsScreen = lazy(() => import('./contests/ContestsScreen.tsx'));
const PaymentsScreen = lazy(() => import('./payments/PaymentsScreen.tsx'));
const PluginsScreen = lazy(() => import('./plugins/PluginsScreen.tsx'));
const MonitorsScreen = lazy(() => import('./monitors/MonitorsScreen.tsx'));
const DiscountsScreen = lazy(() => import('./discounts/DiscountsScreen.tsx'));
const SettingsScreen = lazy(() => import('./settings/SettingsScreen.tsx'));
const ApprovalsScreen = lazy(() => import('./approvals/ApprovalsScreen.tsx'));
const AuditScreen = lazy(() => import('./audit/AuditScreen.tsx'));
const MailScreen = lazy(() => import('./mail/MailScreen.tsx'));
const PagesScreen = lazy(() => import('./content/PagesScreen.tsx'));
const VerificationsScreen = lazy(() => import('./verifications/VerificationsScreen.tsx'));
const ReferralScreen = lazy(() => import('./referral/ReferralScreen.tsx'));
const PartnersScreen = lazy(() => import('./partners/PartnersScreen.tsx'));
const CustomersScreen = lazy(() => import('./customers/CustomersScreen.tsx'));
const TechScreen = lazy(() => import('./tech/TechScreen.tsx'));
const StaffScreen = lazy(() => import('./staff/StaffScreen.tsx'));
const SecurityScreen = lazy(() => import('./security/SecurityScreen.tsx'));

const ATTEMPTS = 2;
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one however often it is asked; only a lost line or a failing server is worth another try.
      retry: (count, error) => count < ATTEMPTS && (!isProblem(error) || error.status === 0 || error.status >= 500),
      staleTime: 5_000,
    },
  },
});

export function App() {
  return (
    <Admin
      authProvider={authProvider}
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
      title="Agio"
    >
      <CustomRoutes>
        <Route path="/claims/:id?" element={<Guard resource="claims" screen={<Desk />} />} />
        <Route
          path="/verifications/:id?"
          element={<Guard resource="verifications" screen={<VerificationsScreen />} />}
        />
        <Route path="/referral/:id?" element={<Guard resource="referral" screen={<ReferralScreen />} />} />
        <Route path="/pairs" element={<Guard resource="pairs" screen={<PairsScreen />} />} />
        <Route path="/reserves" element={<Guard resource="reserves" screen={<ReservesScreen />} />} />
        <Route path="/requisites" element={<Guard resource="requisites" screen={<RequisitesScreen />} />} />
        <Route path="/currencies" element={<Guard resource="currencies" screen={<CurrenciesScreen />} />} />
        <Route path="/rates" element={<Guard resource="rates" screen={<RatesScreen />} />} />
        <Route path="/contests/:id?" element={<Guard resource="contests" screen={<ContestsScreen />} />} />
        <Route path="/payments" element={<Guard resource="payments" screen={<PaymentsScreen />} />} />
        <Route path="/plugins" element={<Guard resource="plugins" screen={<PluginsScreen />} />} />
        <Route path="/monitors" element={<Guard resource="monitors" screen={<MonitorsScreen />} />} />
        <Route path="/discounts" element={<Guard resource="discounts" screen={<DiscountsScreen />} />} />
        <Route path="/partners/:id?" element={<Guard resource="partners" screen={<PartnersScreen />} />} />
        <Route path="/approvals" element={<Guard resource="approvals" screen={<ApprovalsScreen />} />} />
        <Route path="/audit" element={<Guard resource="audit" screen={<AuditScreen />} />} />
        <Route path="/mail" element={<Guard resource="mail" screen={<MailScreen />} />} />
        <Route path="/pages/:page?" element={<Guard resource="content" screen={<PagesScreen />} />} />
        <Route path="/customers" element={<Guard resource="customers" screen={<CustomersScreen />} />} />
        <Route path="/tech" element={<Guard resource="tech" screen={<TechScreen />} />} />
        <Route path="/settings" element={<Guard resource="settings" screen={<SettingsScreen />} />} />
        <Route path="/staff" element={<Guard resource="staff" screen={<StaffScreen />} />} />
        <Route path="/security" element={<SecurityScreen />} />
      </CustomRoutes>
      <CustomRoutes noLayout>
        <Route path="/welcome" element={<Welcome />} />
        <Route path="/restore" element={<Restore />} />
      </CustomRoutes>
    </Admin>
  );
}
