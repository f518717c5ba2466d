import aliases from 'virtual:aliases';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { CurrencyKind, Direction } from '../../../api/types';
import { cx } from '../../../components/cx';
import { Icon } from '../../../components/Icon';
import { useT } from '../../../i18n/texts';
import type { Side } from '../calculator/entry';
import { useReserves } from '../useReserves';
import { type Habits, habitOf, noteChoice, readHabits, toggleFavourite } from './habits';
import { Options } from './Options';
import styles from './Picker.module.css';
import { type Findable, find } from './search';
import { useOtherNames } from './useOtherNames';

interface PickerProps {
  side: Side;
  options: Direction[];
  chosen: number | null;
  /** The button that opened the list; it closes the list by itself. */
  anchor: RefObject<HTMLElement | null>;
  onChoose: (id: number) => void;
  /** Closes without a choice; `refocus` returns the focus to the button. */
  onClose: (refocus: boolean) => void;
}

/** The least height of the list, in pixels: five currencies. Below it the page is scrolled. */
const LEAST_HEIGHT = 460;

const GROUPS: CurrencyKind[] = ['crypto', 'bank', 'ewallet', 'cash'];

/** The list of currencies: a popover, or a full screen sheet on a phone. */
export default function Picker({ side, options, chosen, anchor, onChoose, onClose }: PickerProps) {
  const t = useT('picker');
  const home = useT('home');
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [group, setGroup] = useState<CurrencyKind | null>(null);
  const [habits, setHabits] = useState(readHabits);
  const found = useFound(options, typed, group, habits);
  useSpace(box);
  const take = (id: number) => {
    const direction = options.find((one) => one.id === id);
    if (direction) noteChoice(direction.code);
    onChoose(id);
  };
  const [active, setActive] = useState<number | null>(chosen);
  const activeIndex = Math.max(
    0,
    found.findIndex(({ direction }) => direction.id === active),
  );
  const reserves = useReserves();
  const kinds = GROUPS.filter((kind) => options.some((one) => one.kind === kind));

  useEffect(() => search.current?.focus(), []);
  useOutside([box, anchor], () => onClose(false));

  const move = (to: number) => setActive(found[(to + found.length) % found.length]?.direction.id ?? null);
  const onKeyDown = (event: KeyboardEvent) => {
    const run = keyActions(event.key, {
      move,
      activeIndex,
      last: found.length - 1,
      choose: () => {
        const one = found[activeIndex];
        if (one) {
          take(one.direction.id);
        }
      },
      close: () => onClose(true),
      mark: () => {
        const one = found[activeIndex];
        if (one) setHabits(toggleFavourite(one.direction.code));
      },
    });
    if (run && (event.target === search.current || event.key === 'Escape')) {
      event.preventDefault();
      event.stopPropagation();
      run();
    }
  };
  const optionId = (direction: Direction) => `${id}-${direction.id}`;
  const activeOption = found[activeIndex]?.direction;
  const title = home(side === 'from' ? 'give' : 'receive');

  return (
    <div ref={box} className={styles.picker} data-side={side} role="dialog" aria-label={title} onKeyDown={onKeyDown}>
      <div className={styles.head}>
        <div className={styles.title}>
          <span>{title}</span>
          <button type="button" className={styles.close} onClick={() => onClose(true)} aria-label={t('close')}>
            <Icon name="close" />
          </button>
        </div>
        <div className={styles.search}>
          <input
            ref={search}
            role="combobox"
            aria-label={t('search')}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={activeOption ? optionId(activeOption) : undefined}
            placeholder={t('search')}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="done"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setActive(null);
            }}
          />
          <Icon name="search" />
        </div>
        {kinds.length > 1 ? (
          <fieldset className={styles.filters} aria-label={t('groups')}>
            {[null, ...kinds].map((kind) => (
              <button
                key={kind ?? 'all'}
                type="button"
                className={cx(styles.filter)}
                aria-pressed={group === kind}
                onClick={() => {
                  setGroup(kind);
                  setActive(null);
                }}
              >
                {t(kind === null ? 'group_all' : `group_${kind}`)}
              </button>
            ))}
          </fieldset>
        ) : null}
      </div>
      <Options
        listId={`${id}-list`}
        label={title}
        optionId={optionId}
        found={found.map(({ direction }) => direction)}
        grouped={typed.trim() === '' && group === null}
        chosen={chosen}
        active={activeOption?.id ?? null}
        reserves={side === 'to' ? reserves : null}
        habits={habits}
        onMark={(code) => setHabits(toggleFavourite(code))}
        onChoose={take}
      />
      <p className={styles.keys} aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t('key_move')}
        </span>
        <span>
          <kbd>Enter</kbd> {t('key_take')}
        </span>
        <span>
          <kbd>Esc</kbd> {t('key_close')}
        </span>
        <span>
          <kbd>*</kbd> {t('key_mark')}
        </span>
      </p>
      <p className="vh" aria-live="polite">
        {typed ? t('found', { count: found.length }) : ''}
      </p>
    </div>
  );
}

/** Keeps the list within the screen. */
function useSpace(box: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const node = box.current;
    if (!node) return;
    const space = window.innerHeight - node.getBoundingClientRect().top - 8;
    const least = Math.min(LEAST_HEIGHT, window.innerHeight - 16);
    node.style.setProperty('--space', `${Math.max(space, least)}px`);
    if (space < least) window.scrollBy({ top: least - space, behavior: 'instant' });
  }, [box]);
}

function useFound(options: Direction[], typed: string, group: CurrencyKind | null, habits: Habits): Findable[] {
  const otherNames = useOtherNames();
  return useMemo(() => {
    const shown = options.filter(({ kind }) => group === null || kind === group);
    const ordered = typed.trim()
      ? shown
      : [...shown].sort((a, b) => placeOf(a, group, habits) - placeOf(b, group, habits) || a.position - b.position);
    const all = ordered.map((direction) => ({
      direction,
      otherName: otherNames.get(direction.id) ?? '',
      aliases: aliases[direction.code],
    }));
    return find(all, typed);
  }, [options, typed, group, otherNames, habits]);
}

/** The place of a currency's group: favourites and recent ones before the kinds. */
function placeOf({ code, kind }: Direction, group: CurrencyKind | null, habits: Habits): number {
  const habit = group === null ? habitOf(code, habits) : null;
  return habit === 'favourite' ? -2 : habit === 'recent' ? -1 : GROUPS.indexOf(kind);
}

interface Moves {
  move: (to: number) => void;
  activeIndex: number;
  last: number;
  choose: () => void;
  close: () => void;
  mark: () => void;
}

function keyActions(key: string, { move, activeIndex, last, choose, close, mark }: Moves): (() => void) | null {
  switch (key) {
    case 'ArrowDown':
      return () => move(activeIndex + 1);
    case 'ArrowUp':
      return () => move(activeIndex - 1);
    case 'PageDown':
      return () => move(Math.min(last, activeIndex + 6));
    case 'PageUp':
      return () => move(Math.max(0, activeIndex - 6));
    case 'Enter':
      return choose;
    case 'Escape':
      return close;
    case '*':
      return mark;
    default:
      return null;
  }
}

/** Closes on a press or a focus outside. */
function useOutside(inside: RefObject<HTMLElement | null>[], close: () => void): void {
  const latest = useRef({ inside, close });
  latest.current = { inside, close };
  useEffect(() => {
    const look = (event: Event) => {
      const { inside: boxes, close: shut } = latest.current;
      const target = event.target;
      if (target instanceof Node && !boxes.some(({ current }) => current?.contains(target))) {
        shut();
      }
    };
    document.addEventListener('pointerdown', look);
    document.addEventListener('focusin', look);
    document.documentElement.dataset.sheet = 'open';
    return () => {
      document.removeEventListener('pointerdown', look);
      document.removeEventListener('focusin', look);
      delete document.documentElement.dataset.sheet;
    };
  }, []);
}
