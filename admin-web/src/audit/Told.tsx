import { momentText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Audit.module.css';
import { lineOf, type Speech, type Value } from './difference.ts';

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Of a longer list, or a longer text, the rest is folded. */
const MOST_LINES = 5;
const MOST_LETTERS = 240;

/** How the log's parts are called and their plain values said. */
export function useSpeech(): Speech {
  const { t, language } = useWords();
  const label = (name: string): string => {
    const known = t(`audit.fields.${name}`, { _: '' });
    return known || (name.includes('.') ? name.split('.').map(label).join(' · ') : name);
  };
  const say = (name: string, value: string) => {
    if (value === '') return t('audit.nothing');
    if (MOMENT.test(value)) return momentText(value, language);
    if (name === 'state') return t(`status.${value}`, { _: value });
    return value === 'true' || value === 'false' ? t(value === 'true' ? 'settings.yes' : 'settings.no') : value;
  };
  return { label, say };
}

/** What a part was: a plain value, or a list with a line for each item. */
export function Told({ name, value, speech }: { name: string; value: Value; speech: Speech }) {
  const { t } = useWords();
  if (Array.isArray(value)) {
    const lines = value.map((item) => lineOf(item, speech, name));
    const rest = lines.slice(MOST_LINES);
    return (
      <>
        <Lines lines={lines.slice(0, MOST_LINES)} />
        {rest.length > 0 && (
          <details>
            <summary>{t('audit.more', { smart_count: rest.length })}</summary>
            <Lines lines={rest} />
          </details>
        )}
      </>
    );
  }
  const text = speech.say(name, value);
  if (text.length <= MOST_LETTERS) return text;
  return (
    <details>
      <summary>{`${text.slice(0, MOST_LETTERS / 2)}…`}</summary>
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
