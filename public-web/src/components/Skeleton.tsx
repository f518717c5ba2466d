import { cx } from './cx';

interface SkeletonProps {
  /** Gives it the size of the content. */
  className?: string | undefined;
  /** Whether that size is not known: what follows, and the footer, wait with it. */
  isOpen?: boolean;
}

/** A placeholder. */
export function Skeleton({ className, isOpen = false }: SkeletonProps) {
  return <span className={cx('skeleton', isOpen && 'skeleton-open', className)} />;
}
