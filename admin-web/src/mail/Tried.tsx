import { useNow } from '../ui/clock.ts';
import { momentText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Mail.module.css';

/** When something was settled, or is tried next, and how often it was tried. */
export function Tried({ moment, attempts }: { moment: string | null; attempts: number }) {
  const { t, language } = useWords();
  const now = useNow();
  return (
    <>
      {moment && <time dateTime={moment}>{momentText(moment, language, now)}</time>}
      {attempts > 0 && <span className={css.attempts}>{t('mail.attempts', { smart_count: attempts })}</span>}
    </>
  );
}
