import { claims } from './en/claims.ts';
import { common } from './en/common.ts';
import { exchange } from './en/exchange.ts';
import { verifications } from './en/verifications.ts';

export const en = { ...common, ...claims, ...exchange, ...verifications };
