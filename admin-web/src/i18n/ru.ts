import { brand } from './ru/brand.ts';
import { claims } from './ru/claims.ts';
import { common } from './ru/common.ts';
import { content } from './ru/content.ts';
import { customers } from './ru/customers.ts';
import { discounts } from './ru/discounts.ts';
import { exchange } from './ru/exchange.ts';
import { growth } from './ru/growth.ts';
import { market } from './ru/market.ts';
import { oversight } from './ru/oversight.ts';
import { partners } from './ru/partners.ts';
import { payments } from './ru/payments.ts';
import { plugins } from './ru/plugins.ts';
import { referral } from './ru/referral.ts';
import { reviews } from './ru/reviews.ts';
import { site } from './ru/site.ts';
import { staff } from './ru/staff.ts';
import { verifications } from './ru/verifications.ts';

export const ru = {
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
