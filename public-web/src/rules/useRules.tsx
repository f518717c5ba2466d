import { lazy, type ReactElement, type ReactNode, Suspense, useContext, useState } from 'react';
import { loadTexts, TextsContext } from '../i18n/texts';
import styles from './rules.module.css';

export type Rules = 'terms' | 'aml';

const RulesText = lazy(() => import('./RulesText'));

/** Elements for the tags of a consent, which open the named text in place, and the open text. */
export function useRules(): { links: Record<Rules, ReactElement<{ children?: ReactNode }>>; opened: ReactNode } {
  const texts = useContext(TextsContext);
  const [open, setOpen] = useState<Rules | null>(null);
  const read = (rules: Rules) => {
    loadTexts(texts, 'rules').then(() => setOpen(rules), console.error);
  };
  return {
    links: { terms: <ReadLink onOpen={() => read('terms')} />, aml: <ReadLink onOpen={() => read('aml')} /> },
    opened: open && (
      <Suspense fallback={null}>
        <RulesText of={open} onClose={() => setOpen(null)} />
      </Suspense>
    ),
  };
}

/** Text inside the sentence; a button, so that it neither ticks the box nor leaves the page. */
function ReadLink({ onOpen, children }: { onOpen: () => void; children?: ReactNode }) {
  return (
    <button
      type="button"
      className={styles.link}
      onClick={(event) => {
        event.preventDefault();
        onOpen();
      }}
    >
      {children}
    </button>
  );
}
