import { claims } from './ru/claims.ts';
import { common } from './ru/common.ts';
import { exchange } from './ru/exchange.ts';
import { verifications } from './ru/verifications.ts';

export const ru = { ...common, ...claims, ...exchange, ...verifications };
