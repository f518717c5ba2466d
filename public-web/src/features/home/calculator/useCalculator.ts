import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { call } from '../../../api/client';
import type { Direction, Pair, Settings } from '../../../api/types';
import { writeAmount } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { usePaths } from '../../../i18n/usePaths';
import {
  type Amounts,
  amountsOf,
  type Entry,
  isRefused,
  type Remark,
  type Side,
  settle,
  suggestedAmount,
} from './entry';
import { asked, type Market } from './useMarket';
import { type Selection, useSelection } from './useSelection';

export interface Calculator {
  market: Market | null;
  selection: Selection;
  /** The numbers of the chosen pair; null while they load. */
  pair: Pair | null;
  from: Direction | null;
  to: Direction | null;
  entry: Entry;
  amounts: Amounts;
  remark: Remark | null;
  /** What the amounts were before the rate changed by itself; null while the rate is the one the customer typed at. */
  before: Amounts | null;
  type: (side: Side, text: string) => void;
  /** The customer left the field: the amount is brought into its limits. */
  leave: () => SettledAmounts | null;
  /** Sets an amount, as its limits do. */
  set: (side: Side, value: string) => void;
  /** Puts back what was typed before a limit took its place. */
  takeBack: () => void;
  choose: (side: Side, id: number) => void;
  swap: () => void;
  canSwap: boolean;
  renew: () => Promise<Pair | null>;
}

interface SettledAmounts {
  amounts: Amounts;
  /** Whether the amounts are others than a moment ago, so that nobody can have read them yet. */
  isNew: boolean;
  /** Whether what was typed is no amount. */
  isRefused: boolean;
}

const NO_AMOUNTS: Amounts = { send: null, receive: null };
const EMPTY: Entry = { side: 'from', text: '', touched: false, isOpen: false };

/** Nobody reads a changed number and presses a button within this time. */
const GLANCE_MS = 1000;

/** The calculator: the chosen currencies, the typed amount and what comes of it. */
export function useCalculator(market: Market | null): Calculator {
  const locale = useLocale();
  const { selection, chooseFrom, chooseTo, renew } = useSelection(market);
  const [entry, setEntry] = useState(EMPTY);
  const [remark, setRemark] = useState<Remark | null>(null);
  // The numbers the customer last acted on; what is shown now may be later ones.
  const [known, setKnown] = useState<Pair | null>(null);
  const { from: fromId, to: toId } = selection;
  const pair = fitting(selection);
  const direction = (id: number | null) => (id === null ? null : (market?.directions.get(id) ?? null));
  const [from, to] = [direction(fromId), direction(toId)];

  useBeginning(market, chooseFrom);
  useAddress(from, to);
  useNewPair(pair, (next) => {
    setKnown(next);
    if (entry.touched) {
      const settled = settle(entry, next, locale);
      setEntry(settled.entry);
      setRemark(settled.remark);
    } else {
      setEntry({ ...EMPTY, text: writeAmount(suggestedAmount(next.from), locale) });
      setRemark(null);
    }
  });

  const amounts = pair ? amountsOf(entry, pair, locale) : NO_AMOUNTS;
  const former = pair && known && fits(known, selection) ? amountsOf(entry, known, locale) : amounts;
  const before = former.send !== amounts.send || former.receive !== amounts.receive ? former : null;
  const changedAt = useChangeTime(remark, before && `${amounts.send} ${amounts.receive}`);

  const leave = useCallback(() => {
    if (pair === null) {
      return null;
    }
    const settled = settle(entry, pair, locale);
    setEntry(settled.entry);
    setRemark((said) => settled.remark ?? (entry.isOpen ? null : said));
    return {
      amounts: amountsOf(settled.entry, pair, locale),
      isNew: settled.remark !== null || Date.now() - changedAt.current < GLANCE_MS,
      isRefused: isRefused(settled.remark),
    };
  }, [entry, pair, locale, changedAt]);

  const enter = (next: Entry, said: Remark | null = null) => {
    setEntry(next);
    setRemark(said);
    setKnown(pair);
  };
  return {
    market,
    selection,
    pair,
    from,
    to,
    entry,
    amounts,
    remark,
    before,
    renew,
    leave,
    type: (side, text) => enter({ side, text, touched: true, isOpen: true }),
    set: (side, value) => {
      const next: Entry = { side, text: writeAmount(value, locale), touched: true, isOpen: false };
      enter(pair ? settle(next, pair, locale).entry : next);
    },
    takeBack: () => {
      if (remark) {
        enter({ side: remark.side, text: remark.was, touched: true, isOpen: true });
      }
    },
    choose: (side, id) => {
      if (side === 'from') {
        chooseFrom(id);
      } else {
        chooseTo(id);
      }
    },
    canSwap: toId !== null && (market?.sendable.includes(toId) ?? false) && (from?.receive ?? false),
    swap: () => {
      if (fromId !== null && toId !== null) {
        if (amounts.receive !== null) {
          setEntry({ ...EMPTY, text: writeAmount(amounts.receive, locale), touched: entry.touched });
        }
        chooseFrom(toId, fromId);
      }
    },
  };
}

/** The pair's numbers, unless they are still those of the pair chosen before. */
function fitting(selection: Selection): Pair | null {
  return selection.pair && fits(selection.pair, selection) ? selection.pair : null;
}

function fits({ structure }: Pair, { from, to }: Selection): boolean {
  return structure.from.currency.id === from && structure.to.currency.id === to;
}

/** When the amounts last changed without being typed so. */
function useChangeTime(remark: Remark | null, moved: string | null): RefObject<number> {
  const time = useRef(0);
  useEffect(() => {
    time.current = remark || moved ? Date.now() : 0;
  }, [remark, moved]);
  return time;
}

/** Begins with the pair the address asks for, or the first available; follows links to other pairs. */
function useBeginning(market: Market | null, chooseFrom: (from: number, to: number | null) => Promise<void>): void {
  const locale = useLocale();
  const { key, search } = useLocation();
  const followed = useRef<string | null>(null);
  useEffect(() => {
    if (market === null || followed.current === key) {
      return;
    }
    const first = followed.current === null;
    followed.current = key;
    const begin = (wanted: Settings['exchangeAttributes'] | undefined) => {
      const wantedFrom = wanted?.fromCurrencyId ?? null;
      const from = wantedFrom !== null && market.sendable.includes(wantedFrom) ? wantedFrom : market.sendable[0];
      if (from !== undefined) {
        chooseFrom(from, wanted?.toCurrencyId ?? null);
      }
    };
    if (first) {
      begin(market.settings?.exchangeAttributes);
    } else if (search) {
      call(locale, 'GET /calculator/settings/', { query: asked(search) }).then(
        ({ exchangeAttributes }) => begin(exchangeAttributes),
        console.error,
      );
    }
  }, [market, key, search, locale, chooseFrom]);
}

/** Keeps the address in step with the pair, so that it can be shared and reloaded. */
function useAddress(from: Direction | null, to: Direction | null): void {
  const paths = usePaths();
  const first = useRef(true);
  const codes = from && to ? `${from.code} ${to.code}` : null;
  useEffect(() => {
    if (codes === null) {
      return;
    }
    const [fromCode = '', toCode = ''] = codes.split(' ');
    // The pair the page began with needs no query; one that was asked for already has it.
    if (!first.current) {
      const address = paths.home({ cur_from: fromCode, cur_to: toCode });
      window.history.replaceState(window.history.state, '', address + window.location.hash);
    }
    first.current = false;
  }, [codes, paths]);
}

/** Runs when another pair's numbers arrive; a renewed quote of the same pair is none. */
function useNewPair(pair: Pair | null, act: (pair: Pair) => void): void {
  const run = useRef(act);
  run.current = act;
  const key = pair && `${pair.structure.from.currency.id} ${pair.structure.to.currency.id}`;
  const latest = useRef(pair);
  latest.current = pair;
  useEffect(() => {
    if (key !== null && latest.current) {
      run.current(latest.current);
    }
  }, [key]);
}
