import { type ReactElement, type ReactNode, useState } from 'react';
import { usePart } from '../session/usePart';
import styles from './rules.module.css';

export type Rules = 'terms' | 'aml';

const loadText = async () => (await import('./RulesText')).default;

/** Elements for the tags of a consent, which open the named text in place, and the open text. */
export function useRules(): { links: Record<Rules, ReactElement<{ children?: ReactNode }>>; opened: ReactNode } {
  const [open, setOpen] = useState<Rules | null>(null);
  const RulesText = usePart(open !== null, loadText, () => setOpen(null), 'rules');
  return {
    links: { terms: <ReadLink onOpen={() => setOpen('terms')} />, aml: <ReadLink onOpen={() => setOpen('aml')} /> },
    opened: open && RulesText ? <RulesText of={open} onClose={() => setOpen(null)} /> : null,
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
