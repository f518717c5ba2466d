import type { CSSProperties } from 'react';
import styles from './Coin.module.css';
import glyphs from './coins.svg?url&no-inline';
import { cx } from './cx';
import { hueOf } from './hue';

/** Coins that have a glyph in coins.svg. */
const GLYPHS = new Set(
  'btc eth usdt usdc ltc trx ton xmr xrp doge sol bch dash zec xlm bnb dai ada avax etc link pol vet'.split(' '),
);

/** Neutral letters in place of logos, other than the first of the name. */
const LETTERS: Record<string, string> = {
  SBPRUB: 'СБП',
  KSPBKZT: '₸',
};

/** Currency signs; any other ticker is written out. */
const SIGNS: Record<string, string> = {
  RUB: '₽',
  USD: '$',
  EUR: '€',
  UAH: '₴',
  KZT: '₸',
  GBP: '£',
  TRY: '₺',
  CNY: '¥',
  JPY: '¥',
  PLN: 'zł',
  CZK: 'Kč',
  INR: '₹',
  THB: '฿',
  VND: '₫',
  ILS: '₪',
  KRW: '₩',
};

/** Cards and accounts of any bank: their name tells the currency alone. */
const ANY_BANK = /^(CARD|WIRE|SEPA)/;

export interface CoinCurrency {
  code: string;
  ticker: string;
  name: string;
  kind: string;
  icon?: string | undefined;
}

interface CoinProps {
  of: CoinCurrency;
  size?: 'normal' | 'small' | 'tiny';
}

/**
 * A currency's icon by its kind: round for crypto, a card for a bank, a rounded square for a wallet, a note for cash.
 */
export function Coin({ of, size = 'normal' }: CoinProps) {
  return (
    <span
      className={cx(styles.coin, size !== 'normal' && styles[size])}
      style={{ '--h': hueOf(of) } as CSSProperties}
      aria-hidden="true"
    >
      <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        {of.icon?.startsWith('upload-') ? (
          <image href={`/brand/${of.icon}.png`} width="32" height="32" />
        ) : (
          <>
            <Body kind={of.kind} />
            <Face of={of} />
          </>
        )}
      </svg>
    </span>
  );
}

function Body({ kind }: { kind: string }) {
  switch (kind) {
    case 'bank':
      return (
        <>
          <rect className={styles.body} x="1" y="5" width="30" height="22" rx="4" />
          <path className={styles.stripe} d="M1 10.5h30" />
        </>
      );
    case 'ewallet':
      return <rect className={styles.body} x="2" y="2" width="28" height="28" rx="9" />;
    case 'cash':
      return (
        <>
          <rect className={styles.body} x="1" y="7" width="30" height="18" rx="1" />
          <circle className={styles.stripe} cx="16" cy="16" r="6.5" />
        </>
      );
    default:
      return (
        <>
          <circle className={styles.body} cx="16" cy="16" r="15" />
          <circle className={styles.reed} cx="16" cy="16" r="14" />
        </>
      );
  }
}

function Face({ of }: { of: CoinCurrency }) {
  const icon = of.icon ?? of.ticker.toLowerCase();
  if (of.kind === 'crypto' && GLYPHS.has(icon)) {
    return <use href={`${glyphs}#${icon}`} x="2.25" y="2.25" width="27.5" height="27.5" />;
  }
  const letters = lettersOf(of);
  const y = of.kind === 'bank' ? 23 : 20;
  return (
    <text className={letters.length > 2 ? styles.long : undefined} x="16" y={y}>
      {letters}
    </text>
  );
}

function lettersOf(of: CoinCurrency): string {
  if (of.kind === 'cash' || (of.kind === 'bank' && ANY_BANK.test(of.code))) return SIGNS[of.ticker] ?? of.ticker;
  return LETTERS[of.code] ?? (of.kind === 'crypto' ? of.ticker.slice(0, 4) : of.name.slice(0, 1).toUpperCase());
}
