import { Button, Choice, Field, useTexts } from '../ui/index.ts';
import css from './Audit.module.css';
import { ACTORS, type Filters, type Part, THINGS } from './filters.ts';

type Props = {
  filters: Filters;
  actions: { action: string; title: string }[];
  /** Staff members, by name. */
  staff: { id: string; name: string }[];
  onPart: (part: Part, value: string) => void;
  onClear: () => void;
};

/** Filters by actor, action, subject and time. */
export function FilterBar({ filters, actions, staff, onPart, onClear }: Props) {
  const { t } = useTexts();
  const all = { value: '', label: t('state.all') };
  const titled = (values: string[], texts: string) => [
    all,
    ...values.map((value) => ({ value, label: t(`${texts}.${value}`) })),
  ];
  const byTitle = [...actions].sort((a, b) => a.title.localeCompare(b.title));
  return (
    <search className={css.filters}>
      <Choice
        label={t('audit.by')}
        value={filters.actorKind ?? ''}
        options={titled(ACTORS, 'audit.actors')}
        onValue={(value) => onPart('actorKind', value)}
      />
      <Choice
        label={t('things.staff')}
        value={filters.actorId ?? ''}
        options={[all, ...staff.map(({ id, name }) => ({ value: id, label: name }))]}
        onValue={(value) => onPart('actorId', value)}
      />
      <Choice
        label={t('audit.action')}
        value={filters.action ?? ''}
        options={[all, ...byTitle.map(({ action, title }) => ({ value: action, label: title }))]}
        onValue={(value) => onPart('action', value)}
      />
      <Choice
        label={t('audit.thing')}
        value={filters.aboutKind ?? ''}
        options={titled(THINGS, 'things')}
        onValue={(value) => onPart('aboutKind', value)}
      />
      {filters.aboutId && (
        <Field
          label={t('audit.which')}
          value={filters.aboutId}
          autoComplete="off"
          onValue={(value) => onPart('aboutId', value)}
        />
      )}
      <Field
        label={t('audit.from')}
        type="date"
        value={filters.from ?? ''}
        onValue={(value) => onPart('from', value)}
      />
      <Field label={t('audit.to')} type="date" value={filters.to ?? ''} onValue={(value) => onPart('to', value)} />
      {Object.keys(filters).length > 0 && (
        <Button className={css.clear} onClick={onClear}>
          {t('audit.clear')}
        </Button>
      )}
    </search>
  );
}
