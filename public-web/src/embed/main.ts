/**
 * The calculator that other sites frame: the amounts of a direction, and a link to the exchange. It takes no session
 * and nothing can be paid or confirmed in it, so covering it or clicking in it for somebody gains nothing.
 */
import { amountText } from '@agio/client/format';
import type { Answer } from '../api/calls';
import type { Direction, Pair } from '../api/types';
import { BRAND } from '../brand';
import { rateOf, rateText } from '../components/amounts';
import { shortName } from '../components/currencyName';
import {
  type Amounts,
  amountsOf,
  type Entry,
  type Side,
  settle,
  suggestedAmount,
} from '../features/home/calculator/entry';
import en from '../i18n/en/embed.json';
import type { Locale } from '../i18n/locale';
import ru from '../i18n/ru/embed.json';
import './embed.css';

/** A shown rate is at most this old. */
const RENEW_MS = 60_000;

const query = new URLSearchParams(location.search);
const locale: Locale = query.get('lang') === 'en' ? 'en' : 'ru';
const texts = locale === 'en' ? en : ru;
const prefix = locale === 'en' ? '/en' : '';

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${prefix}/api/v1/calculator${path}`, { credentials: 'omit' });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

class EmbeddedCalculator {
  private directions = new Map<number, Direction>();
  private pair: Pair | null = null;
  private isLoading = true;
  private entry: Entry;
  /** Only the answers of the latest choice are shown. */
  private turn = 0;

  private readonly inputs = { from: this.input('from'), to: this.input('to') };
  private readonly selects = { from: this.select('from'), to: this.select('to') };
  private readonly rate = element('p', { class: 'rate', role: 'status' });
  private readonly link = element('a', { class: 'go', target: '_blank', rel: 'noopener' });

  constructor(private readonly root: HTMLElement) {
    const amount = query.get('amount');
    this.entry = { side: 'from', text: amountText(amount ?? '0', locale), touched: amount !== null, isOpen: false };
    this.link.textContent = texts.go.replace('{{site}}', () => BRAND.name ?? '');
    const row = (side: Side, label: string) =>
      element(
        'div',
        { class: 'row' },
        element('label', { for: `amount-${side}` }, label),
        this.inputs[side],
        this.selects[side],
      );
    // Where the page that shows it is from the same site, there are two.
    root.ariaLabel = texts.calculator;
    root.append(element('h1', { class: 'vh' }, BRAND.name ?? ''));
    root.append(row('from', texts.give), row('to', texts.receive), this.rate, this.link);
    root.append(element('p', { class: 'opens' }, texts.opens));
    this.show();
  }

  async start(): Promise<void> {
    const wanted = new URLSearchParams();
    for (const side of ['from', 'to']) {
      const code = query.get(side);
      if (code) wanted.set(`cur_${side}`, code);
    }
    const [{ directions }, sendable, { exchangeAttributes }] = await Promise.all([
      get<Answer<'GET /calculator/'>>('/'),
      get<number[]>('/from/'),
      get<Answer<'GET /calculator/settings/'>>(`/settings/?${wanted}`),
    ]);
    this.directions = new Map(directions.map((direction) => [direction.id, direction]));
    const { fromCurrencyId: from, toCurrencyId: to } = exchangeAttributes;
    const first = from !== null && sendable.includes(from) ? from : sendable[0];
    if (first === undefined) throw new Error('nothing can be exchanged');
    this.fillSelect('from', sendable, first);
    await this.chooseFrom(first, to);
    setInterval(() => document.visibilityState === 'visible' && this.renew(), RENEW_MS);
  }

  private async chooseFrom(from: number, wanted: number | null): Promise<void> {
    const turn = ++this.turn;
    const ids = await get<number[]>(`/from/${from}/`);
    if (turn !== this.turn) return;
    const to = wanted !== null && ids.includes(wanted) ? wanted : ids[0];
    if (to === undefined) throw new Error('nothing can be received');
    this.fillSelect('to', ids, to);
    await this.renew();
  }

  private async renew(): Promise<void> {
    const turn = ++this.turn;
    const [from, to] = [this.selects.from.value, this.selects.to.value];
    const pair = await get<Pair>(`/pair/${from}/${to}/`).catch((error) => console.error(error));
    if (turn !== this.turn) return;
    this.pair = pair ?? null;
    this.isLoading = false;
    if (pair && !this.entry.isOpen) {
      const text = this.entry.touched ? this.entry.text : amountText(suggestedAmount(pair.from), locale);
      this.entry = settle({ ...this.entry, text }, pair, locale).entry;
    }
    this.show();
  }

  private input(side: Side): HTMLInputElement {
    const input = element('input', { id: `amount-${side}`, inputmode: 'decimal', autocomplete: 'off' });
    input.addEventListener('input', () => {
      this.entry = { side, text: input.value, touched: true, isOpen: true };
      this.show();
    });
    input.addEventListener('change', () => {
      if (this.pair) this.entry = settle(this.entry, this.pair, locale).entry;
      this.show();
    });
    return input;
  }

  private select(side: Side): HTMLSelectElement {
    const label = side === 'from' ? texts.give_currency : texts.receive_currency;
    const select = element('select', { 'aria-label': label, disabled: '' });
    select.addEventListener('change', () => {
      const to = Number(this.selects.to.value);
      const chosen = side === 'from' ? this.chooseFrom(Number(select.value), to) : this.renew();
      chosen.catch((error) => this.fail(error));
    });
    return select;
  }

  private fillSelect(side: Side, ids: number[], chosen: number): void {
    const options = ids.flatMap((id) => {
      const direction = this.directions.get(id);
      return direction ? [element('option', { value: `${id}` }, shortName(direction))] : [];
    });
    this.selects[side].replaceChildren(...options);
    this.selects[side].value = `${chosen}`;
    this.selects[side].disabled = false;
  }

  fail(error: unknown): void {
    console.error(error);
    this.pair = null;
    this.isLoading = false;
    this.show();
  }

  private show(): void {
    const { entry, pair } = this;
    const amounts: Amounts = pair ? amountsOf(entry, pair, locale) : { give: null, receive: null };
    for (const [side, value] of [
      ['from', amounts.give],
      ['to', amounts.receive],
    ] as const) {
      const isTyped = entry.side === side && (entry.isOpen || value === null);
      const text = isTyped ? entry.text : value === null ? '' : amountText(value, locale);
      if (this.inputs[side].value !== text) this.inputs[side].value = text;
    }
    this.rate.textContent = pair ? this.rateOf(pair, amounts) : this.isLoading ? '\u00a0' : texts.unavailable;
    this.link.href = this.target(amounts);
    this.root.ariaBusy = String(this.isLoading);
  }

  private rateOf(pair: Pair, { give, receive }: Amounts): string {
    const [from, to] = [pair.structure.from.currency.ticker, pair.structure.to.currency.ticker];
    const rate = give !== null && receive !== null ? rateOf(give, receive) : null;
    return rateText(rate ?? pair.course, from, to, locale);
  }

  /** The exchange with what was chosen here. */
  private target({ give }: Amounts): string {
    const search = new URLSearchParams();
    const code = (side: Side) => this.directions.get(Number(this.selects[side].value))?.code ?? query.get(side);
    for (const [name, value] of [
      ['cur_from', code('from')],
      ['cur_to', code('to')],
      ['amount', give],
      ['rid', query.get('rid')],
    ] as const) {
      if (value) search.set(name, value);
    }
    return `${prefix || '/'}?${search}`;
  }
}

const theme = query.get('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
document.documentElement.lang = locale;

const root = document.getElementById('embed');
if (root) {
  const calculator = new EmbeddedCalculator(root);
  calculator.start().catch((error) => calculator.fail(error));
  // A height is no secret, so any page that frames this one may read it.
  const report = () => parent.postMessage({ calculatorHeight: document.documentElement.offsetHeight }, '*');
  new ResizeObserver(report).observe(document.documentElement);
}
