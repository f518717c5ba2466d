/**
 * What the page computes while the customer types: the twin of the server's money engine.
 *
 * Numbers go in and come out as decimal strings; inside they are BigInt, so both sides agree to the
 * last digit. `openapi/vectors/money.json` holds them together.
 */
export { clampSend, type Limits } from './limits';
export { normalise } from './normalise';
export { receiveFor, sendFor, type Terms } from './terms';
