import { cx } from './cx';

/** Holds the place of something on its way. The class gives it the size of what will stand there. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return <span className={cx('skeleton', className)} />;
}
