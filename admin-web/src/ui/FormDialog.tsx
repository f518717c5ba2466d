import Button from '@mui/material/Button';
import { type ReactNode, useRef, useState } from 'react';
import { type ActionOptions, type CallResult, newOnce, type Once, useAction } from '../api/hooks.ts';
import { fieldsOf } from '../api/problem.ts';
import { Modal } from './Modal.tsx';
import { Refusal } from './States.tsx';
import { useTexts } from './useTexts.ts';

type KeysOf<Draft, Value> = { [Key in keyof Draft]: Draft[Key] extends Value ? Key : never }[keyof Draft] & string;

type RequiredOf<Draft> = KeysOf<Draft, string>;

/** What the fields of a dialog are made of. */
export type Form<Draft> = {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  /** Value, change and refusal of a text or choice, to be spread into its field. */
  field: <Name extends KeysOf<Draft, string>>(
    name: Name,
  ) => { value: Draft[Name]; error?: string; onValue: (value: Draft[Name]) => void };
  /** The same of a switch. */
  toggle: (name: KeysOf<Draft, boolean>) => { value: boolean; onValue: (value: boolean) => void };
  /** Why the server refused a field, by its path in the body; `within`, or something inside it. */
  error: (path: string, options?: { within: boolean }) => string | undefined;
  isPending: boolean;
};

type Props<Draft, Data> = Omit<ActionOptions<void, Data>, 'run' | 'onSettled'> & {
  title: ReactNode;
  initial: Draft | (() => Draft);
  /** Sends the draft; with `once` in the call the server acts but once, however often the same draft is sent. */
  save: (draft: Draft, once: Once) => CallResult<Data>;
  /** Texts that must not be blank: they are named at their fields when the draft is sent without them. */
  required?: RequiredOf<Draft>[] | ((draft: Draft) => RequiredOf<Draft>[]);
  /** Whether the draft can be sent, where its fields say themselves what is wrong. */
  isReady?: (draft: Draft) => boolean;
  /** The label of the button, "Save" by default; `saving` while it is pending. */
  submit?: string | ((draft: Draft) => string);
  saving?: string;
  /** After the label of the button, such as its key. */
  submitIcon?: ReactNode;
  /** What cannot be undone has a red button. */
  danger?: boolean;
  /** Where the body carries the draft inside a part: the server's paths begin with it. */
  errorsAt?: string;
  /** More buttons on the left. */
  actions?: ReactNode | ((form: Form<Draft>) => ReactNode);
  wide?: boolean;
  onClose: () => void;
  children: (form: Form<Draft>) => ReactNode;
};

/** A dialog that fills in something and sends it. Refusals stand at their fields, the rest beneath them. */
export function FormDialog<Draft extends object, Data>(props: Props<Draft, Data>) {
  const {
    title,
    initial,
    save,
    required = [],
    isReady,
    submit,
    saving,
    submitIcon,
    danger,
    errorsAt,
    actions,
    wide,
    onClose,
    children,
  } = props;
  const { t } = useTexts();
  const [draft, setDraft] = useState(initial);
  const once = useRef(newOnce());
  const { done, stale, onDone } = props;
  const action = useAction<Data>({ run: () => save(draft, once.current), done, stale, onDone, onSettled: onClose });
  const [isTried, setTried] = useState(false);
  const needed = typeof required === 'function' ? required(draft) : required;
  const blank: string[] = needed.filter((name) => String(draft[name]).trim() === '');
  // What is missing comes first: a draft is whole only then.
  const ready = !action.isPending && (blank.length > 0 || (isReady?.(draft) ?? true));
  const send = () => {
    if (!ready) return;
    setTried(true);
    if (blank.length === 0) action.mutate();
  };
  const change = (part: Partial<Draft>) => {
    once.current = newOnce();
    setDraft((current) => ({ ...current, ...part }));
  };
  const refused = fieldsOf(action.error);
  const shown = new Set<string>();
  const error: Form<Draft>['error'] = (path, options) => {
    if (isTried && blank.includes(path)) return t('error.required');
    const whole = errorsAt ? [path, `${errorsAt}.${path}`] : [path];
    const found = Object.keys(refused).filter((one) =>
      whole.some(
        (each) => one === each || (options?.within && one.startsWith(each) && /[.[]/.test(one.charAt(each.length))),
      ),
    );
    for (const one of found) shown.add(one);
    return found[0] && refused[found[0]];
  };
  const form: Form<Draft> = {
    draft,
    change,
    error,
    field: (name) => ({
      value: draft[name],
      error: error(name),
      onValue: (value) => change({ [name]: value } as unknown as Partial<Draft>),
    }),
    toggle: (name) => ({
      value: draft[name] as boolean,
      onValue: (value) => change({ [name]: value } as Partial<Draft>),
    }),
    isPending: action.isPending,
  };
  const text = typeof submit === 'function' ? submit(draft) : (submit ?? t('action.save'));
  return (
    <Modal
      open
      wide={wide}
      isPending={action.isPending}
      onClose={onClose}
      onSubmit={send}
      title={title}
      actions={
        <>
          {typeof actions === 'function' ? actions(form) : actions}
          <Button disabled={action.isPending} onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button
            type="submit"
            variant={danger ? 'outlined' : 'contained'}
            color={danger ? 'error' : undefined}
            disabled={!ready}
            endIcon={submitIcon}
          >
            {action.isPending ? (saving ?? t('action.saving')) : text}
          </Button>
        </>
      }
    >
      {children(form)}
      <Rest error={action.error} shown={shown} />
    </Modal>
  );
}

/** What stands at no field. It renders after the fields, which may be components of their own. */
function Rest({ error, shown }: { error: unknown; shown: Set<string> }) {
  const paths = Object.keys(fieldsOf(error));
  const isAllShown = paths.length > 0 && paths.every((path) => shown.has(path));
  return isAllShown ? null : <Refusal error={error} />;
}
