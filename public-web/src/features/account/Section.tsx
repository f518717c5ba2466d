import type { ReactNode } from 'react';
import styles from './Section.module.css';

interface SectionProps {
  /** The fragment that links to it. */
  id: string;
  title: string;
  children: ReactNode;
}

/** A section of an account page: its name on the left, the content on the right. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <div className={styles.content}>{children}</div>
    </section>
  );
}
