import { type RefObject, useRef, useState } from 'react';
import type { Direction } from '../../../api/types';
import { Coin } from '../../../components/Coin';
import { networkOf } from '../../../components/currencyName';
import { Icon } from '../../../components/Icon';
import { Skeleton } from '../../../components/Skeleton';
import { useT } from '../../../i18n/texts';
import { usePart } from '../../../session/usePart';
import styles from './CurrencyButton.module.css';
import type { Side } from './entry';

const loadPicker = async () => (await import('../picker/Picker')).default;

interface CurrencyButtonProps {
  side: Side;
  chosen: Direction | null;
  /** The options in their order. */
  options: Direction[];
  onChoose: (id: number) => void;
  /** Called when the list opens or closes. */
  onOpen: (open: boolean) => void;
}

/** Shows the chosen currency and opens the list. */
export function CurrencyButton({ side, chosen, options, onChoose, onOpen }: CurrencyButtonProps) {
  const t = useT('home');
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const turn = (next: boolean) => {
    setOpen(next);
    onOpen(next);
  };
  const Picker = usePart(open, loadPicker, () => turn(false), 'picker');
  const close = () => {
    turn(false);
    button.current?.focus();
  };
  // Not a button of another width, which would move when the currency comes.
  if (chosen === null) return <Skeleton className={styles.blank} />;
  const [first, second] = namesOf(chosen);
  return (
    <div className={styles.anchor} data-side={side}>
      <button
        ref={button}
        type="button"
        className={styles.button}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`${t(side === 'from' ? 'give' : 'receive')}: ${first} ${second}`}
        onPointerEnter={loadPicker}
        onFocus={loadPicker}
        onClick={() => turn(!open)}
      >
        <Coin of={chosen} />
        <span className={styles.names}>
          <b>{first}</b>
          <small>{second}</small>
        </span>
        <Icon name="chevron" />
      </button>
      {open && Picker ? (
        <Picker
          side={side}
          options={options}
          chosen={chosen.id}
          anchor={button as RefObject<HTMLElement | null>}
          onChoose={(id) => {
            close();
            if (id !== chosen.id) {
              onChoose(id);
            }
          }}
          onClose={(refocus) => (refocus ? close() : turn(false))}
        />
      ) : null}
    </div>
  );
}

/** The two lines of a currency: a coin by its ticker, a bank by its name. */
export function namesOf(of: Direction): [string, string] {
  if (of.kind !== 'crypto') {
    return [of.name, of.network && of.network !== of.name ? `${of.network}, ${of.ticker}` : of.ticker];
  }
  const { name, network } = networkOf(of);
  // A coin's own network has its name, in one language or another; "ERC20" says more.
  const isOwn = of.code === of.ticker && !/\d/.test(of.network);
  return [of.ticker, network === null || isOwn ? name : `${name}, ${network}`];
}
