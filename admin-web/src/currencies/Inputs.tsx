import ArrowDownwardOutlined from '@mui/icons-material/ArrowDownwardOutlined';
import ArrowUpwardOutlined from '@mui/icons-material/ArrowUpwardOutlined';
import DeleteOutlined from '@mui/icons-material/DeleteOutlined';
import { Button, Choice, Field, type Form, IconButton, Toggle, useTexts } from '../ui/index.ts';
import css from './Currencies.module.css';
import type { CurrencyDraft } from './draft.ts';
import { type InputField, isFreeText, nameOf, newInput, REQUISITE_KINDS, type RequisiteKind } from './requisites.ts';

/** As many as the server stores. */
const MOST = 10;

/** What customers fill in for a currency, in the order they see it. */
export function Inputs({ draft, change, error }: Pick<Form<CurrencyDraft>, 'draft' | 'change' | 'error'>) {
  const { t, language } = useTexts();
  const { inputs } = draft;
  const set = (next: InputField[]) => change({ inputs: next });
  const move = (from: number, to: number) => {
    const next = [...inputs];
    next.splice(to, 0, ...next.splice(from, 1));
    set(next);
  };
  return (
    <>
      <h3 className={css.section}>{t('inputs.title')}</h3>
      <p className={css.note}>{t(inputs.length === 0 ? 'inputs.none' : 'inputs.help')}</p>
      {error('inputs') && (
        <p className={css.bad} tabIndex={-1} data-refused>
          {error('inputs')}
        </p>
      )}
      {inputs.map((input, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an input is known only by its place.
        <fieldset key={index} className={css.row}>
          <legend className="visually-hidden">{t('inputs.number', { number: index + 1 })}</legend>
          <div className={css.rowHead}>
            <strong>{input.label[language] || t('inputs.number', { number: index + 1 })}</strong>
            <IconButton
              aria-label={t('inputs.up', { number: index + 1 })}
              disabled={index === 0}
              onClick={() => move(index, index - 1)}
            >
              <ArrowUpwardOutlined fontSize="small" />
            </IconButton>
            <IconButton
              aria-label={t('inputs.down', { number: index + 1 })}
              disabled={index === inputs.length - 1}
              onClick={() => move(index, index + 1)}
            >
              <ArrowDownwardOutlined fontSize="small" />
            </IconButton>
            <IconButton
              aria-label={t('inputs.remove', { number: index + 1 })}
              onClick={() => set(inputs.filter((_, at) => at !== index))}
            >
              <DeleteOutlined fontSize="small" />
            </IconButton>
          </div>
          <InputForm
            input={input}
            others={inputs.filter((_, at) => at !== index)}
            errorOf={(path) => error(`inputs[${index}].${path}`)}
            onInput={(next) => set(inputs.map((one, at) => (at === index ? next : one)))}
          />
        </fieldset>
      ))}
      <div>
        <Button disabled={inputs.length >= MOST} onClick={() => set([...inputs, newInput(inputs)])}>
          {t('inputs.add')}
        </Button>
      </div>
    </>
  );
}

type FormProps = {
  input: InputField;
  others: InputField[];
  errorOf: (path: string) => string | undefined;
  onInput: (input: InputField) => void;
};

function InputForm({ input, others, errorOf, onInput }: FormProps) {
  const { t } = useTexts();
  const set = (part: Partial<InputField>) => onInput({ ...input, ...part });
  const choose = (kind: RequisiteKind) => {
    // A name that was given by the kind follows it.
    const isGiven = input.name === nameOf(input.kind, others);
    const form = isFreeText(kind) ? {} : { pattern: undefined, mask: undefined };
    set({ kind, name: isGiven ? nameOf(kind, others) : input.name, ...form });
  };
  const hint = input.hint ?? { ru: '', en: '' };
  return (
    <>
      <div className={css.grid}>
        <Choice
          label={t('inputs.kind')}
          value={input.kind}
          error={errorOf('kind')}
          options={REQUISITE_KINDS.map((value) => ({ value, label: t(`requisiteKinds.${value}`) }))}
          onValue={choose}
        />
        <Field
          label={t('inputs.name')}
          help={t('inputs.nameHelp')}
          value={input.name}
          error={errorOf('name')}
          onValue={(name) => set({ name })}
        />
        <Field
          label={t('inputs.labelRu')}
          value={input.label.ru}
          error={errorOf('label.ru') ?? errorOf('label')}
          onValue={(ru) => set({ label: { ...input.label, ru } })}
        />
        <Field
          label={t('inputs.labelEn')}
          value={input.label.en}
          error={errorOf('label.en')}
          onValue={(en) => set({ label: { ...input.label, en } })}
        />
        <Field
          label={t('inputs.hintRu')}
          help={t('inputs.hintHelp')}
          value={hint.ru}
          error={errorOf('hint.ru') ?? errorOf('hint')}
          onValue={(ru) => set({ hint: { ...hint, ru } })}
        />
        <Field
          label={t('inputs.hintEn')}
          value={hint.en}
          error={errorOf('hint.en')}
          onValue={(en) => set({ hint: { ...hint, en } })}
        />
        {isFreeText(input.kind) &&
          (['mask', 'pattern'] as const).map((form) => (
            <Field
              key={form}
              label={t(`inputs.${form}`)}
              help={t(`inputs.${form}Help`)}
              value={input[form] ?? ''}
              error={errorOf(form)}
              spellCheck={false}
              onValue={(text) => set({ [form]: text })}
            />
          ))}
      </div>
      <div>
        <Toggle label={t('inputs.required')} value={input.required} onValue={(required) => set({ required })} />
        <Toggle label={t('inputs.give')} value={input.send} onValue={(send) => set({ send })} />
        <Toggle label={t('inputs.receive')} value={input.receive} onValue={(receive) => set({ receive })} />
        {errorOf('send') && <p className={css.bad}>{errorOf('send')}</p>}
      </div>
    </>
  );
}
