import type { ReactNode } from 'react';
import styles from './Section.module.css';

interface SectionProps {
  /** What an address names it by. */
  id: string;
  title: string;
  children: ReactNode;
}

/** A part of a page of the account: its name on the left, what there is to see and do on the right. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <div className={styles.content}>{children}</div>
    </section>
  );
}
