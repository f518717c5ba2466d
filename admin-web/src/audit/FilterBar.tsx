import Button from '@mui/material/Button';
import { Choice, Field } from '../ui/Field.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Audit.module.css';
import { ACTORS, type Filters, type Part, THINGS } from './filters.ts';

type Props = {
  filters: Filters;
  actions: { action: string; title: string }[];
  /** Members of staff, by name. */
  people: { id: string; name: string }[];
  onPart: (part: Part, value: string) => void;
  onClear: () => void;
};

/** By whom, what, to what, and when. */
export function FilterBar({ filters, actions, people, onPart, onClear }: Props) {
  const { t } = useWords();
  const all = { value: '', label: t('audit.any') };
  const titled = (values: string[], words: string) => [
    all,
    ...values.map((value) => ({ value, label: t(`${words}.${value}`) })),
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
        label={t('audit.person')}
        value={filters.actorId ?? ''}
        options={[all, ...people.map(({ id, name }) => ({ value: id, label: name }))]}
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
