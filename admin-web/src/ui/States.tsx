import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { fieldsOf, isProblem, messageOf } from '../api/problem.ts';
import css from './States.module.css';
import { useTexts } from './useTexts.ts';

/** A sentence where there is nothing to show. With `heading` it is the only heading of the page. */
export function EmptyNote({
  title,
  text,
  heading,
  children,
}: {
  title: string;
  text?: string;
  heading?: boolean;
  children?: ReactNode;
}) {
  const Title = heading ? 'h1' : 'p';
  return (
    <div className={css.note}>
      <Title className={css.title}>{title}</Title>
      {text && <p className={css.text}>{text}</p>}
      {children}
    </div>
  );
}

/** What failed, what to do, and the request's id for those who look for the cause. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTexts();
  const requestId = isProblem(error) ? error.requestId : null;
  return (
    <div className={css.note} role="alert">
      <p className={css.title}>{t('error.title')}</p>
      <p className={css.text}>{messageOf(error, t)}</p>
      {requestId && <p className={css.request}>{t('error.request', { id: requestId })}</p>}
      {retry && <Button onClick={retry}>{t('error.retry')}</Button>}
    </div>
  );
}

/** Grey rows in the height of the real ones, so that nothing jumps when they come. */
export function SkeletonRows({ rows = 12, height = 36 }: { rows?: number; height?: number }) {
  const { t } = useTexts();
  return (
    <div className={css.skeleton} role="status">
      <span className="visually-hidden">{t('state.loading')}</span>
      <span className={css.progress} />
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <span key={row} className={css.bone} style={{ height }} />
      ))}
    </div>
  );
}

type Loading<Data> = { data: Data | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** One answer with its states: loading, failed, or shown. */
export function Loaded<Data>({
  answer: { data, error, isPending, refetch },
  bones,
  children,
}: {
  answer: Loading<Data>;
  bones?: { rows?: number; height?: number };
  children: (data: Data) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  return isPending ? <SkeletonRows {...bones} /> : <ErrorNote error={error} retry={() => void refetch()} />;
}

/** A sentence of refusal beside what was refused; of a single `field`, what was said of it. */
export function Refusal({ error, field }: { error: unknown; field?: string }) {
  const { t } = useTexts();
  if (!error) return null;
  const ofField = field && fieldsOf(error)[field];
  return (
    <p className={ofField ? css.field : css.refusal} role="alert">
      {ofField || messageOf(error, t)}
    </p>
  );
}
