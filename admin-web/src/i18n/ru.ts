import { claims } from './ru/claims.ts';
import { common } from './ru/common.ts';
import { content } from './ru/content.ts';
import { customers } from './ru/customers.ts';
import { desk } from './ru/desk.ts';
import { discounts } from './ru/discounts.ts';
import { exchange } from './ru/exchange.ts';
export const ru = {
  ...common,
  ...claims,
  ...content,
  ...customers,
  ...desk,
  ...discounts,
  ...exchange,
  ...growth,
  ...partners,
  ...referral,
  ...staff,
  ...verifications,
};
