import { useEffect, useRef } from 'react';
import type { CurrencyKind, Direction } from '../../../api/types';
import { reserveText } from '../../../components/amounts';
import { Coin } from '../../../components/Coin';
import { networkOf } from '../../../components/currencyName';
import { cx } from '../../../components/cx';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { type Habits, habitOf } from './habits';
import styles from './Picker.module.css';

interface OptionsProps {
  listId: string;
  label: string;
  optionId: (direction: Direction) => string;
  found: Direction[];
  grouped: boolean;
  chosen: number | null;
  active: number | null;
  /** Reserves by id, for the received side. */
  reserves: Map<number, string> | null;
  habits: Habits;
  onMark: (code: string) => void;
  onChoose: (id: number) => void;
}

/** The options; the focus stays in the search field, and `active` is the highlighted one. */
export function Options(props: OptionsProps) {
  const { listId, label, found, grouped, active, optionId } = props;
  const t = useT('picker');
  const list = useRef<HTMLDivElement>(null);
  const activeId = found.find(({ id }) => id === active);
  const activeElement = activeId ? optionId(activeId) : null;
  useEffect(() => {
    const option = activeElement ? document.getElementById(activeElement) : null;
    option?.scrollIntoView({ block: 'nearest' });
  }, [activeElement]);
  const groupOf = ({ code, kind }: Direction) => habitOf(code, props.habits) ?? kind;
  const groups = [...new Set(found.map(groupOf))];
  return (
    <div ref={list} id={listId} role="listbox" aria-label={label} className={styles.options} tabIndex={-1}>
      {found.length === 0 ? <p className={styles.empty}>{t('empty')}</p> : null}
      {grouped
        ? groups.map((group) => (
            <Group key={group} group={group} {...props} found={found.filter((one) => groupOf(one) === group)} />
          ))
        : found.map((one) => <Option key={one.id} of={one} {...props} />)}
    </div>
  );
}

function Group({ group, ...props }: OptionsProps & { group: CurrencyKind | 'favourite' | 'recent' }) {
  const t = useT('picker');
  const headId = `${props.listId}-${group}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a listbox holds groups of options, which no element stands for.
    <div role="group" aria-labelledby={headId}>
      <div id={headId} className={styles.groupHead}>
        {t(`group_${group}`)}
      </div>
      {props.found.map((one) => (
        <Option key={one.id} of={one} {...props} />
      ))}
    </div>
  );
}

function Option({
  of,
  chosen,
  active,
  reserves,
  habits,
  optionId,
  onMark,
  onChoose,
}: OptionsProps & { of: Direction }) {
  const locale = useLocale();
  const reserve = reserves?.get(of.id);
  const t = useT('picker');
  const crypto = of.kind === 'crypto';
  const { name, network } = networkOf(of);
  const isMarked = habits.favourite.includes(of.code);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the search field's, which owns the list.
    // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by aria-activedescendant.
    <div
      id={optionId(of)}
      role="option"
      aria-selected={of.id === chosen}
      className={cx(styles.option, of.id === active && styles.active)}
      onClick={() => onChoose(of.id)}
    >
      <Coin of={of} />
      <span className={styles.names}>
        <b>
          {name} {crypto && network ? <span className={styles.network}>{network}</span> : null}
        </b>
        <small>{crypto || network === null ? of.ticker : `${network}, ${of.ticker}`}</small>
      </span>
      <span className={cx(styles.reserve, 'num nb')}>
        {reserve === undefined ? null : reserveText(reserve, of.ticker, locale)}
      </span>
      {isMarked ? <span className="vh">{t('marked')}</span> : null}
      {/* With the keyboard, the search field's asterisk does the same. */}
      <span
        className={styles.star}
        data-marked={isMarked}
        title={t('key_mark')}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          onMark(of.code);
        }}
      >
        {isMarked ? '★' : '☆'}
      </span>
    </div>
  );
}
