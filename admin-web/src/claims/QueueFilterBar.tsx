import { useEffect, useRef } from 'react';
import { useCurrencies } from '../api/index.ts';
import { Button, Choice, useTexts } from '../ui/index.ts';
import css from './ClaimsQueue.module.css';
import { type FilterName, isNarrowed, type QueueFilters, statesOf } from './filters.ts';
import type { ClaimGroup } from './groups.ts';

type Props = {
  group: ClaimGroup;
  filters: QueueFilters;
  /** Whether it was asked for, so that the keyboard goes on in it. */
  isAsked: boolean;
  onFilter: (name: FilterName, value: string) => void;
  onClear: () => void;
};

/** Narrows the queue by state, currencies, whose claims they are and what is overdue. */
export function QueueFilterBar({ group, filters, isAsked, onFilter, onClear }: Props) {
  const { t } = useTexts();
  const currencies = useCurrencies();
  const bar = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (isAsked) bar.current?.querySelector<HTMLElement>('[role="combobox"]')?.focus();
  }, [isAsked]);
  const all = { value: '', label: t('state.all') };
  const currency = (name: 'from' | 'to') => {
    const value = filters[name] ?? '';
    const known = currencies.map(({ id, code }) => ({ value: String(id), label: code }));
    const options = known.some((option) => option.value === value) ? known : [...known, { value, label: value }];
    return { value, options: value === '' ? [all, ...known] : [all, ...options] };
  };
  const toggles: ('mine' | 'overdue')[] = group === 'closed' ? [] : ['mine', 'overdue'];
  return (
    <fieldset ref={bar} className={css.filters}>
      <legend className="visually-hidden">{t('claims.filters')}</legend>
      <Choice
        label={t('fields.state')}
        value={filters.status ?? ''}
        options={[all, ...statesOf(group).map((value) => ({ value, label: t(`status.${value}`) }))]}
        onValue={(value) => onFilter('status', value)}
      />
      <Choice label={t('fields.gives')} {...currency('from')} onValue={(value) => onFilter('from', value)} />
      <Choice label={t('fields.receives')} {...currency('to')} onValue={(value) => onFilter('to', value)} />
      <span className={css.toggles}>
        {toggles.map((name) => (
          <button
            key={name}
            type="button"
            className={css.toggle}
            aria-pressed={filters[name] !== undefined}
            onClick={() => onFilter(name, filters[name] ? '' : 'true')}
          >
            {t(`claims.${name}`)}
          </button>
        ))}
        {isNarrowed(filters) && <Button onClick={onClear}>{t('claims.clearFilters')}</Button>}
      </span>
    </fieldset>
  );
}
