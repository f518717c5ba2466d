import { claims } from './en/claims.ts';
import { common } from './en/common.ts';
import { content } from './en/content.ts';
import { customers } from './en/customers.ts';
import { desk } from './en/desk.ts';
import { discounts } from './en/discounts.ts';
import { exchange } from './en/exchange.ts';
export const en = {
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
