import type { Schema } from '@agio/client/admin';
import { changesOf } from '../ui/changes.ts';
import { typedDecimal } from '../ui/decimal.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { type InputField, newInput } from './requisites.ts';

export type CurrencyDetails = Schema<'CurrencyDetails'>;

/** A city as it is typed; without a place it is agreed with each customer. */
export type CityDraft = { code: string; ru: string; en: string; placeRu: string; placeEn: string };

export const KINDS: Schema<'CurrencyKind'>[] = ['crypto', 'bank', 'ewallet', 'cash'];
/** The most decimals the ledger stores. */
export const SCALE_MAX = 8;

export const emptyDraft = () => ({
  code: '',
  ticker: '',
  ru: '',
  en: '',
  networkRu: '',
  networkEn: '',
  kind: 'crypto' as Schema<'CurrencyKind'>,
  icon: '',
  scale: String(SCALE_MAX),
  roundCalculator: String(SCALE_MAX),
  position: '',
  reserveFloor: '0',
  networkFee: '0',
  explorer: '',
  send: true,
  receive: true,
  inputs: [newInput([])],
  /** Of cash alone. */
  cities: [] as CityDraft[],
});

/** A currency as it is typed. */
export type CurrencyDraft = ReturnType<typeof emptyDraft>;

type Facts = Pick<
  CatalogueEntry,
  'code' | 'ticker' | 'name' | 'kind' | 'icon' | 'scale' | 'roundCalculator' | 'inputs'
>;

const draftOfFacts = ({ name, scale, roundCalculator, inputs, code, ticker, kind, icon }: Facts): CurrencyDraft => ({
  ...emptyDraft(),
  code,
  ticker,
  kind,
  icon,
  ru: name.ru,
  en: name.en,
  scale: String(scale),
  roundCalculator: String(roundCalculator),
  inputs: inputs.map((input) => ({ ...input })),
});

export const draftOfEntry = (entry: CatalogueEntry): CurrencyDraft => ({
  ...draftOfFacts(entry),
  networkRu: entry.network.ru,
  networkEn: entry.network.en,
});

export const draftOf = (currency: CurrencyDetails): CurrencyDraft => ({
  ...draftOfFacts(currency),
  networkRu: currency.networkName.ru,
  networkEn: currency.networkName.en,
  position: String(currency.position),
  reserveFloor: currency.reserveFloor,
  networkFee: currency.networkFee,
  explorer: currency.explorer ?? '',
  send: currency.send,
  receive: currency.receive,
  cities: currency.cities.map(({ code, name, place }) => ({
    code,
    ...name,
    placeRu: place?.ru ?? '',
    placeEn: place?.en ?? '',
  })),
});

/** A new currency like another one: its code has to be another, and it goes to the end of the list. */
export const duplicateOf = (currency: CurrencyDetails): CurrencyDraft => ({
  ...draftOf(currency),
  code: '',
  position: '',
});

const usualScale = (kind: CurrencyDraft['kind']) => String(kind === 'crypto' ? SCALE_MAX : 2);

/** A new currency of another kind: decimals that are usual for the old one, which nobody typed, follow it. */
export function ofKind(draft: CurrencyDraft, kind: CurrencyDraft['kind']): Partial<CurrencyDraft> {
  const follow = (decimals: string) => (decimals === usualScale(draft.kind) ? usualScale(kind) : decimals);
  return { kind, scale: follow(draft.scale), roundCalculator: follow(draft.roundCalculator) };
}

const WHOLE = /^\d{1,7}$/;

/** What is empty, or no number where one is needed, by its path in the request; the server judges the rest. */
export function missingIn(draft: CurrencyDraft, isNew: boolean): { path: string; isTyped: boolean }[] {
  const { scale, roundCalculator, position, reserveFloor, networkFee } = draft;
  const isPositionFine = WHOLE.test(position) || (isNew && position.trim() === '');
  const texts: [string, string][] = [
    ['code', draft.code],
    ['ticker', draft.ticker],
    ['name.ru', draft.ru],
    ['name.en', draft.en],
    ...draft.cities.flatMap(({ code, ru, en }, index): [string, string][] => [
      [`cities[${index}].code`, code],
      [`cities[${index}].name.ru`, ru],
      [`cities[${index}].name.en`, en],
    ]),
    ...draft.inputs.flatMap(({ name, label }, index): [string, string][] => [
      [`inputs[${index}].name`, name],
      [`inputs[${index}].label.ru`, label.ru],
      [`inputs[${index}].label.en`, label.en],
    ]),
  ];
  const numbers: [string, string, boolean][] = [
    ['scale', scale, WHOLE.test(scale)],
    ['roundCalculator', roundCalculator, WHOLE.test(roundCalculator)],
    ['position', position, isPositionFine],
    ['reserveFloor', reserveFloor, typedDecimal(reserveFloor) !== null],
    ['networkFee', networkFee, typedDecimal(networkFee) !== null],
  ];
  return [
    ...texts.filter(([, text]) => text.trim() === '').map(([path]) => ({ path, isTyped: false })),
    ...numbers.filter(([, , isFine]) => !isFine).map(([path, text]) => ({ path, isTyped: text.trim() !== '' })),
  ];
}

const both = (ru: string, en: string) => ({ ru: ru.trim(), en: en.trim() });

/** A text that may be missing. */
function optional(ru: string, en: string) {
  const text = both(ru, en);
  return text.ru || text.en ? text : undefined;
}

const inputOf = ({ name, label, hint, pattern, mask, ...input }: InputField): InputField => ({
  ...input,
  name: name.trim(),
  label: both(label.ru, label.en),
  hint: hint && optional(hint.ru, hint.en),
  pattern: pattern?.trim() || undefined,
  mask: mask?.trim() || undefined,
});

const cityOf = ({ code, ru, en, placeRu, placeEn }: CityDraft): Schema<'CashCityField'> => ({
  code: code.trim(),
  name: both(ru, en),
  place: optional(placeRu, placeEn),
});

export function requestOf(draft: CurrencyDraft): Schema<'NewCurrencyRequest'> {
  return {
    code: draft.code.trim(),
    ticker: draft.ticker.trim(),
    name: both(draft.ru, draft.en),
    network: both(draft.networkRu, draft.networkEn),
    kind: draft.kind,
    icon: draft.icon.trim() || draft.kind,
    scale: Number(draft.scale),
    roundCalculator: Number(draft.roundCalculator),
    position: draft.position.trim() === '' ? undefined : Number(draft.position),
    reserveFloor: typedDecimal(draft.reserveFloor) ?? draft.reserveFloor,
    networkFee: typedDecimal(draft.networkFee) ?? draft.networkFee,
    explorer: draft.explorer.trim() || null,
    send: draft.send,
    receive: draft.receive,
    inputs: draft.inputs.map(inputOf),
    cities: draft.kind === 'cash' ? draft.cities.map(cityOf) : undefined,
  };
}

/** What was changed, with the revision that was read. Kind and scale are for life. */
export const patchOf = (currency: CurrencyDetails, draft: CurrencyDraft) => ({
  revision: currency.revision,
  ...changesOf(requestOf(draftOf(currency)), requestOf(draft)),
});
