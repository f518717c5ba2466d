import { claims } from './en/claims.ts';
import { common } from './en/common.ts';
import { customers } from './en/customers.ts';
import { desk } from './en/desk.ts';
import { exchange } from './en/exchange.ts';
import { staff } from './en/staff.ts';
import { verifications } from './en/verifications.ts';

export const en = { ...common, ...claims, ...customers, ...desk, ...exchange, ...staff, ...verifications };
