import { cx } from './cx';

/** A placeholder; the class gives it the size of the content. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return <span className={cx('skeleton', className)} />;
}
