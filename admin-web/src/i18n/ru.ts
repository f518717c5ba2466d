import { claims } from './ru/claims.ts';
import { common } from './ru/common.ts';
import { customers } from './ru/customers.ts';
import { desk } from './ru/desk.ts';
import { exchange } from './ru/exchange.ts';
import { staff } from './ru/staff.ts';
import { verifications } from './ru/verifications.ts';

export const ru = { ...common, ...claims, ...customers, ...desk, ...exchange, ...staff, ...verifications };
