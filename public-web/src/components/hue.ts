import { seedOf } from './seed';

/** Known hues; any other currency gets one from its code. */
const KNOWN: Record<string, number> = {
  btc: 65,
  eth: 275,
  usdt: 172,
  usdc: 250,
  ltc: 255,
  trx: 22,
  ton: 235,
  xmr: 45,
  xrp: 220,
  doge: 95,
  sol: 300,
  ada: 260,
  avax: 25,
  bch: 150,
  bnb: 88,
  dai: 75,
  etc: 155,
  link: 265,
  pol: 295,
  SBERRUB: 150,
  TCSBRUB: 95,
  ACRUB: 28,
  SBPRUB: 310,
  CASHRUB: 130,
};

/** The hue of a currency, in degrees; lightness and chroma belong to the theme. */
export function hueOf(currency: { code: string; icon?: string | undefined }): number {
  return KNOWN[currency.code] ?? KNOWN[currency.icon ?? ''] ?? seedOf(currency.code) % 360;
}
