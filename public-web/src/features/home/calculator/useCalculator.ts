import { amountText } from '@agio/client/format';
import { type RefObject, startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { call } from '../../../api/client';
import type { City, Direction, Pair, Settings } from '../../../api/types';
import { useLocale } from '../../../i18n/locale';
import { usePaths } from '../../../i18n/usePaths';
import { draftAmount, readDraft, saveDraft } from '../../../pair/draft';
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
import { isOpen, type Market, preselected } from './useMarket';
import { type Selection, useSelection } from './useSelection';

export interface Calculator {
  market: Market | null;
  selection: Selection;
  /** The terms of the chosen pair; null while they load. */
  pair: Pair | null;
  from: Direction | null;
  to: Direction | null;
  /** Where cash changes hands; null without cash, and until the visitor chooses one of several. */
  city: City | null;
  chooseCity: (code: string) => void;
  entry: Entry;
  amounts: Amounts;
  remark: Remark | null;
  /** The amounts before the rate changed by itself; null while the rate is the one the customer typed at. */
  before: Amounts | null;
  type: (side: Side, text: string) => void;
  /** Called when the field is left: moves the amount into its limits. */
  leave: () => SettledAmounts | null;
  set: (side: Side, value: string) => void;
  /** Restores the text that a limit replaced. */
  takeBack: () => void;
  choose: (side: Side, id: number) => void;
  swap: () => void;
  canSwap: boolean;
  renew: () => Promise<Pair | null>;
}

interface SettledAmounts {
  amounts: Amounts;
  /** Whether the amounts changed a moment ago, so that nobody can have read them yet. */
  isNew: boolean;
  isRefused: boolean;
}

const NO_AMOUNTS: Amounts = { give: null, receive: null };
const EMPTY: Entry = { side: 'from', text: '', touched: false, isOpen: false };

/** Too short to read a changed number and press a button. */
const GLANCE_MS = 1000;

/** `cityOfPage`: the code of the city that the page is about. */
export function useCalculator(market: Market | null, cityOfPage?: string): Calculator {
  const locale = useLocale();
  const { selection, chooseFrom, chooseTo, renew } = useSelection(market);
  const [entry, setEntry] = useState(EMPTY);
  const [remark, setRemark] = useState<Remark | null>(null);
  // The amounts the customer last acted on; the shown ones may be later.
  const [known, setKnown] = useState<Pair | null>(null);
  const { from: fromId, to: toId } = selection;
  const pair = fitting(selection);
  const direction = (id: number | null) => (id === null ? null : (market?.directions.get(id) ?? null));
  const [from, to] = [direction(fromId), direction(toId)];
  const query = new URLSearchParams(useLocation().search);
  // The amount of an address, as the embedded calculator leads here.
  const asked = query.get('amount');
  const [chosenCity, chooseCity] = useState(cityOfPage || query.get('city')?.toUpperCase() || readDraft().city);
  const city = cityOf(pair, chosenCity);

  useBeginning(market, chooseFrom);
  useSaving(entry, from, to);
  useAddress(from, to, city);
  useNewPair(pair, (next) => {
    setKnown(next);
    if (entry.touched) {
      const settled = settle(entry, next, locale);
      setEntry(settled.entry);
      setRemark(settled.remark);
    } else {
      const { from: give, to: receive } = next.structure;
      const draft = asked === null ? draftAmount(give.currency.code, receive.currency.code, locale) : null;
      const text = amountText(asked ?? suggestedAmount(next.from), locale);
      const begun: Entry = { ...EMPTY, text, ...draft, touched: asked !== null || draft !== null };
      const settled = settle(begun, next, locale);
      setEntry(settled.entry);
      setRemark(begun.touched ? settled.remark : null);
    }
  });

  const amounts = pair ? amountsOf(entry, pair, locale) : NO_AMOUNTS;
  const former = pair && known && fits(known, selection) ? amountsOf(entry, known, locale) : amounts;
  const before = former.give !== amounts.give || former.receive !== amounts.receive ? former : null;
  const changedAt = useChangeTime(remark, before && `${amounts.give} ${amounts.receive}`);

  const leave = useCallback(() => {
    if (pair === null) return null;
    const settled = settle(entry, pair, locale);
    setEntry(settled.entry);
    setRemark((remark) => settled.remark ?? (entry.isOpen ? null : remark));
    return {
      amounts: amountsOf(settled.entry, pair, locale),
      isNew: settled.remark !== null || Date.now() - changedAt.current < GLANCE_MS,
      isRefused: isRefused(settled.remark),
    };
  }, [entry, pair, locale, changedAt]);

  const enter = (next: Entry, remark: Remark | null = null) => {
    setEntry(next);
    setRemark(remark);
    setKnown(pair);
  };
  return {
    market,
    selection,
    pair,
    from,
    to,
    city,
    chooseCity: (code) => {
      chooseCity(code);
      saveDraft({ city: code });
    },
    entry,
    amounts,
    remark,
    before,
    renew,
    leave,
    type: (side, text) => enter({ side, text, touched: true, isOpen: true }),
    set: (side, value) => {
      const next: Entry = { side, text: amountText(value, locale), touched: true, isOpen: false };
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
          setEntry({ ...EMPTY, text: amountText(amounts.receive, locale), touched: entry.touched });
        }
        chooseFrom(toId, fromId);
      }
    },
  };
}

/** The chosen city, where the pair has it; the only one needs no choice. */
function cityOf(pair: Pair | null, code: string | undefined): City | null {
  const cities = pair?.cities ?? [];
  return cities.find((city) => city.code === code) ?? (cities.length === 1 ? (cities[0] ?? null) : null);
}

/** The pair's terms, unless they are those of the former pair. */
function fitting(selection: Selection): Pair | null {
  return selection.pair && fits(selection.pair, selection) ? selection.pair : null;
}

function fits({ structure }: Pair, { from, to }: Selection): boolean {
  return structure.from.currency.id === from && structure.to.currency.id === to;
}

/** When the amounts last changed without typing. */
function useChangeTime(remark: Remark | null, moved: string | null): RefObject<number> {
  const time = useRef(0);
  useEffect(() => {
    time.current = remark || moved ? Date.now() : 0;
  }, [remark, moved]);
  return time;
}

/** Starts with the pair of the address, or the first available; follows links to other pairs. */
function useBeginning(market: Market | null, chooseFrom: (from: number, to: number | null) => Promise<void>): void {
  const locale = useLocale();
  const { key, search } = useLocation();
  const followed = useRef<string | null>(null);
  useEffect(() => {
    if (market === null || !isOpen(market) || followed.current === key) return;
    const first = followed.current === null;
    followed.current = key;
    const begin = (wanted: Settings['exchangeAttributes'] | undefined) => {
      const preselectedFrom = wanted?.fromCurrencyId ?? null;
      const from =
        preselectedFrom !== null && market.sendable.includes(preselectedFrom) ? preselectedFrom : market.sendable[0];
      if (from !== undefined) {
        chooseFrom(from, wanted?.toCurrencyId ?? null);
      }
    };
    if (first) {
      // In parts: the page of a phone shall answer meanwhile.
      startTransition(() => begin(market.settings?.exchangeAttributes));
    } else if (search) {
      call(locale, 'GET /calculator/settings/', { query: preselected(search) }).then(
        ({ exchangeAttributes }) => begin(exchangeAttributes),
        console.error,
      );
    }
  }, [market, key, search, locale, chooseFrom]);
}

/** Keeps a typed amount through reloads and other pages. */
function useSaving({ side, text, touched }: Entry, from: Direction | null, to: Direction | null): void {
  const locale = useLocale();
  useEffect(() => {
    if (touched && from && to) {
      saveDraft({ amount: { from: from.code, to: to.code, side, text, locale } });
    }
  }, [side, text, touched, from, to, locale]);
}

/** Updates the address with the pair, so that it can be shared and reloaded. */
function useAddress(from: Direction | null, to: Direction | null, city: City | null): void {
  const paths = usePaths();
  const first = useRef(true);
  const codes = from && to ? `${from.code} ${to.code}` : null;
  const cityCode = city?.code;
  useEffect(() => {
    if (codes === null) return;
    const [fromCode = '', toCode = ''] = codes.split(' ');
    // The initial pair needs no query; a pair of the address already has it.
    if (!first.current) {
      const address = paths.home({ cur_from: fromCode, cur_to: toCode, ...(cityCode && { city: cityCode }) });
      window.history.replaceState(window.history.state, '', address + window.location.hash);
    }
    first.current = false;
  }, [codes, cityCode, paths]);
}

/** Runs when another pair is loaded; a renewed quote of the same pair does not count. */
function useNewPair(pair: Pair | null, act: (pair: Pair) => void): void {
  const run = useRef(act);
  run.current = act;
  const key = pair && `${pair.structure.from.currency.id} ${pair.structure.to.currency.id}`;
  const latest = useRef(pair);
  latest.current = pair;
  // Before the pair is painted, so that the amounts come with it.
  useLayoutEffect(() => {
    if (key !== null && latest.current) {
      run.current(latest.current);
    }
  }, [key]);
}
