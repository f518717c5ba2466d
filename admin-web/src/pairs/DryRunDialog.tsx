import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { type CallResult, newOnce, type Once, useAction } from '../api/index.ts';
import { Button, Modal, Refusal, SkeletonRows, useDebounced, useTexts } from '../ui/index.ts';
import css from './DryRun.module.css';

type Options = Partial<Once> & { signal?: AbortSignal };

type Props<Request, Data> = {
  title: string;
  /** What would be sent; null while it is incomplete. */
  body: Omit<Request, 'dryRun'> | null;
  send: (request: Request, options: Options) => CallResult<Data>;
  /** What stands in the place of the preview while it is. */
  hint: string;
  previewTitle: string;
  /** How many pairs are created or changed: with none there is nothing to store. */
  count: (answer: Data) => number;
  /** The label of the button, and what it says while there is nothing to store. */
  submit: (count: number) => string;
  idle: string;
  done: (count: number) => string;
  onDone?: () => void;
  onClose: () => void;
  preview: (answer: Data) => ReactNode;
  /** The form, with the latest refusal. */
  children: (error: unknown) => ReactNode;
};

/** A dialog for many pairs at once: the server computes what would happen, and only what was shown is stored. */
export function DryRunDialog<Request extends { dryRun: boolean }, Data>(props: Props<Request, Data>) {
  const { title, body, send, hint, previewTitle, count, submit, idle, done, onDone, onClose, preview, children } =
    props;
  const { t } = useTexts();
  const text = JSON.stringify(body);
  const resting = useDebounced(text);
  const dryRun = useQuery({
    queryKey: ['dry-run', title, resting],
    queryFn: async ({ signal }) => (await send({ ...JSON.parse(resting), dryRun: true }, { signal })).data as Data,
    enabled: resting !== 'null',
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  // A repeated request is the same one, another body another.
  const sent = useRef({ text, once: newOnce() });
  const store = useAction<Data>({
    run: () => {
      if (sent.current.text !== text) sent.current = { text, once: newOnce() };
      return send({ ...body, dryRun: false } as Request, sent.current.once);
    },
    done: (answer) => done(count(answer as Data)),
    stale: ['/pairs', '/rates*', '/dashboard', '/setup'],
    onDone,
    onSettled: onClose,
  });
  const shown = body && !dryRun.error ? dryRun.data : undefined;
  const isShown = shown !== undefined && resting === text && !dryRun.isPlaceholderData;
  const found = shown === undefined ? 0 : count(shown);
  const ready = isShown && found > 0 && !store.isPending;
  const error = store.error ?? (body && dryRun.error);
  return (
    <Modal
      open
      wide
      title={title}
      onClose={onClose}
      onSubmit={() => ready && store.mutate()}
      actions={
        <>
          <Refusal error={store.error} />
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {store.isPending ? t('action.saving') : found > 0 ? submit(found) : idle}
          </Button>
        </>
      }
    >
      <div className={css.columns}>
        <div className={css.form}>{children(error)}</div>
        <section
          className={css.preview}
          aria-label={previewTitle}
          aria-busy={body !== null && !isShown && !error}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on its own, also by the keyboard.
          tabIndex={0}
        >
          <h3 className={css.title}>{previewTitle}</h3>
          {!body && <p className={css.note}>{hint}</p>}
          {body && !shown && !error && <SkeletonRows rows={4} />}
          {shown !== undefined && preview(shown)}
          {body && <Refusal error={dryRun.error} />}
        </section>
      </div>
    </Modal>
  );
}
