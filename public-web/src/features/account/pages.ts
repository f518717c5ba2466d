/** The pages of the account, loaded together. */
export { Component as discounts } from './discounts/DiscountsPage';
export { Component as orders } from './orders/OrdersPage';
export { Component as overview } from './overview/OverviewPage';
export { Component as referrer } from './referrer/ReferrerPage';
export { Component as settings } from './settings/SettingsPage';
