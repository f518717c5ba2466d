import { claims } from './ru/claims.ts';
import { common } from './ru/common.ts';
import { content } from './ru/content.ts';
import { desk } from './ru/desk.ts';
import { discounts } from './ru/discounts.ts';
import { exchange } from './ru/exchange.ts';
import { growth } from './ru/growth.ts';
import { staff } from './ru/staff.ts';
import { verifications } from './ru/verifications.ts';

export const ru = {
  ...common,
  ...claims,
  ...content,
  ...desk,
  ...discounts,
  ...exchange,
  ...growth,
  ...staff,
  ...verifications,
};
