import { useTexts } from '../ui/index.ts';
import css from './Audit.module.css';
import { lineOf, type Texts, type Value } from './difference.ts';

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Of a longer list, or a longer text, the rest is folded. */
const MAX_LINES = 5;
const MAX_CHARACTERS = 240;

/** Where the codes of a part have their texts, the first that knows one. */
const CODES: Record<string, string[]> = {
  aboutKind: ['things'],
  role: ['roles'],
  state: ['status', 'verifications.states', 'contests.states', 'news.states'],
  status: ['partners.statuses'],
  reason: ['reasons', 'reserves.reasons'],
  kind: ['verifications.kinds'],
};

/** The names of the log's parts and the texts of their plain values. */
export function useAuditTexts(): Texts {
  const { t, dateTimeText } = useTexts();
  const label = (name: string): string => {
    const known = t(`audit.fields.${name}`, { _: '' });
    return known || (name.includes('.') ? name.split('.').map(label).join(' · ') : name);
  };
  const format = (name: string, value: string) => {
    if (value === '') return t('audit.nothing');
    if (MOMENT.test(value)) return dateTimeText(value);
    for (const texts of CODES[name] ?? []) {
      const known = t(`${texts}.${value}`, { _: '' });
      if (known) return known;
    }
    return value === 'true' || value === 'false' ? t(value === 'true' ? 'state.yes' : 'state.no') : value;
  };
  return { label, format };
}

/** What a part was: a plain value, or a list with a line for each item. */
export function AuditValue({ name, value, texts }: { name: string; value: Value; texts: Texts }) {
  const { t } = useTexts();
  if (Array.isArray(value)) {
    const lines = value.map((item) => lineOf(item, texts, name));
    const rest = lines.slice(MAX_LINES);
    return (
      <>
        <Lines lines={lines.slice(0, MAX_LINES)} />
        {rest.length > 0 && (
          <details>
            <summary>{t('audit.more', { smart_count: rest.length })}</summary>
            <Lines lines={rest} />
          </details>
        )}
      </>
    );
  }
  const text = texts.format(name, value);
  if (text.length <= MAX_CHARACTERS) return text;
  return (
    <details>
      <summary>{`${text.slice(0, MAX_CHARACTERS / 2)}…`}</summary>
      {text}
    </details>
  );
}

function Lines({ lines }: { lines: string[] }) {
  return (
    <ul className={css.lines}>
      {lines.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal items stand in a list as they were.
        <li key={place}>{line}</li>
      ))}
    </ul>
  );
}
