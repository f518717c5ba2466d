import { useEffect, useRef } from 'react';
import type { CurrencyKind, Direction } from '../../../api/types';
import { reserveText } from '../../../components/amounts';
import { Coin } from '../../../components/Coin';
import { cx } from '../../../components/cx';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
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
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  return (
    <div ref={list} id={listId} role="listbox" aria-label={label} className={styles.options} tabIndex={-1}>
      {found.length === 0 ? <p className={styles.empty}>{t('empty')}</p> : null}
      {grouped
        ? kinds.map((kind) => <Group key={kind} kind={kind} {...props} />)
        : found.map((one) => <Option key={one.id} of={one} {...props} />)}
    </div>
  );
}

function Group({ kind, ...props }: OptionsProps & { kind: CurrencyKind }) {
  const t = useT('picker');
  const headId = `${props.listId}-${kind}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a listbox holds groups of options, which no element stands for.
    <div role="group" aria-labelledby={headId}>
      <div id={headId} className={styles.groupHead}>
        {t(`group_${kind}`)}
      </div>
      {props.found
        .filter((one) => one.kind === kind)
        .map((one) => (
          <Option key={one.id} of={one} {...props} />
        ))}
    </div>
  );
}

function Option({ of, chosen, active, reserves, optionId, onChoose }: OptionsProps & { of: Direction }) {
  const locale = useLocale();
  const reserve = reserves?.get(of.id);
  const crypto = of.kind === 'crypto';
  const network = of.network && !of.name.includes(of.network) ? of.network : null;
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
          {of.name} {crypto && network ? <span className={styles.network}>{network}</span> : null}
        </b>
        <small>{crypto || network === null ? of.ticker : `${network}, ${of.ticker}`}</small>
      </span>
      <span className={cx(styles.reserve, 'num nb')}>
        {reserve === undefined ? null : reserveText(reserve, of.ticker, locale)}
      </span>
    </div>
  );
}
