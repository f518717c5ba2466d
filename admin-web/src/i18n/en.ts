import { brand } from './en/brand.ts';
import { claims } from './en/claims.ts';
import { common } from './en/common.ts';
import { content } from './en/content.ts';
import { customers } from './en/customers.ts';
import { discounts } from './en/discounts.ts';
import { exchange } from './en/exchange.ts';
import { growth } from './en/growth.ts';
import { market } from './en/market.ts';
import { oversight } from './en/oversight.ts';
import { partners } from './en/partners.ts';
import { payments } from './en/payments.ts';
import { plugins } from './en/plugins.ts';
import { referral } from './en/referral.ts';
import { reviews } from './en/reviews.ts';
import { site } from './en/site.ts';
import { staff } from './en/staff.ts';
import { verifications } from './en/verifications.ts';

export const en = {
  ...common,
  ...brand,
  ...claims,
  ...content,
  ...customers,
  ...oversight,
  ...discounts,
  ...exchange,
  ...growth,
  ...market,
  ...partners,
  ...payments,
  ...plugins,
  ...referral,
  ...reviews,
  ...site,
  ...staff,
  ...verifications,
};
