import type { ReactNode } from 'react';
import styles from './Announcement.module.css';
import { cx } from './cx';
import { Rosette } from './Guilloche';

interface AnnouncementProps {
  /** Seeds the pattern. */
  code: string;
  /** Whether it is all of the page. */
  isWhole?: boolean;
  children: ReactNode;
}

/** What a page shows in place of its usual content. */
export function Announcement({ code, isWhole = false, children }: AnnouncementProps) {
  return (
    <div className={cx('wrap', styles.page, isWhole && styles.whole)}>
      <Rosette from={{ code }} to={{ code: 'AGIO' }} className={styles.print} />
      {children}
    </div>
  );
}

export function AnnouncementText({ children }: { children: ReactNode }) {
  return <p className={styles.text}>{children}</p>;
}

export function AnnouncementActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
