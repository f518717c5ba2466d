/**
 * Computes amounts while the customer types: the second implementation of the server's money engine. Numbers go in and
 * come out as decimal strings; inside they are BigInt. `openapi/vectors/money.json` compares both.
 */
export { clampGive, giveWithin, type Limits, snap, snapGive } from './limits';
export { normalise } from './normalise';
export { giveFor, receiveFor, type Terms } from './terms';
