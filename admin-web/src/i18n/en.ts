import { claims } from './en/claims.ts';
import { common } from './en/common.ts';
import { desk } from './en/desk.ts';
import { exchange } from './en/exchange.ts';
import { partners } from './en/partners.ts';
import { staff } from './en/staff.ts';
import { verifications } from './en/verifications.ts';

export const en = { ...common, ...claims, ...desk, ...exchange, ...partners, ...staff, ...verifications };
