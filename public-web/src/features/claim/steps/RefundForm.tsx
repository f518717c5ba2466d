import { type FormEvent, useState } from 'react';
import type { RequisiteInput } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Field } from '../../../components/Field';
import { useT } from '../../../i18n/texts';
import { useAmount } from '../model/useWords';
import { ActionButton, Actions, Refusal, type StepProps } from './parts';
import css from './steps.module.css';

interface Props extends StepProps {
  /** What will be sent back, before the network fee. */
  sum: string;
  onBack(): void;
}

/** Where to send the money back. The server checks the requisites and says what is wrong with each. */
export function RefundForm({ claim, action, sum, onBack }: Props) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, calls } = claim;
  const [inputs, again] = useAnswer(calls.refundInputs);
  return (
    <section aria-labelledby="refund-title">
      <h2 className={css.subheading} id="refund-title">
        {t('refund.title')}
      </h2>
      <p className={css.text}>{t('refund.text', { amount: amount(sum, form.from) })}</p>
      {inputs.state === 'waiting' && <p className={css.small}>{t('refund.loading')}</p>}
      {inputs.state === 'failed' && (
        <button type="button" className="linkbtn" onClick={again}>
          {t('error.retry')}
        </button>
      )}
      {inputs.state === 'here' && <Inputs claim={claim} action={action} inputs={inputs.value} onBack={onBack} />}
    </section>
  );
}

function Inputs({ claim, action, inputs, onBack }: StepProps & { inputs: RequisiteInput[]; onBack(): void }) {
  const t = useT('claim');
  const [values, setValues] = useState<Record<string, string>>({});
  const [tried, setTried] = useState(false);
  const filled = (name: string) => (values[name] ?? '').trim();
  const refused = action.refused?.action === 'refund' ? action.refused.fields : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (inputs.some((input) => input.required && filled(input.name) === '')) return;
    const given = inputs.map(({ name }) => [name, filled(name)] as const).filter(([, value]) => value !== '');
    void action.run('refund', () => claim.calls.refund(Object.fromEntries(given)));
  };
  const errorOf = ({ name, required }: RequisiteInput) => {
    if (tried && required && filled(name) === '') return t('refund.missing');
    return refused[`requisites.${name}`] ?? null;
  };
  const hasNamedField = Object.keys(refused).length > 0;
  return (
    <form className={css.refund} noValidate onSubmit={submit}>
      {inputs.map((input) => (
        <Field
          key={input.name}
          label={input.label}
          value={values[input.name] ?? ''}
          required={input.required}
          error={errorOf(input)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => setValues({ ...values, [input.name]: event.target.value })}
        />
      ))}
      {!hasNamedField && <Refusal action={action} of="refund" />}
      <Actions>
        <ActionButton main submit busy={action.busy === 'refund'}>
          {t(action.busy === 'refund' ? 'refund.sending' : 'refund.send')}
        </ActionButton>
        <ActionButton quiet busy={false} onClick={onBack}>
          {t('refund.back')}
        </ActionButton>
      </Actions>
    </form>
  );
}
