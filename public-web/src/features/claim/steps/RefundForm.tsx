import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { RequisiteInput } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { useT } from '../../../i18n/texts';
import { RequisiteField } from '../../../requisites/RequisiteField';
import { useChecker } from '../../../requisites/useRequisite';
import { arriveAt } from '../ticket/Ticket';
import { ActionButton, Actions, Refusal, type StepProps } from './parts';
import { RefundSum } from './RefundSum';
import css from './steps.module.css';

interface Props extends StepProps {
  /** Back to the other options; absent where there are none. */
  onBack?: () => void;
}

/** The refund's amount and its destination. The server decides on the fields. */
export function RefundForm({ claim, action, onBack }: Props) {
  const t = useT('claim');
  const title = useRef<HTMLHeadingElement>(null);
  const [inputs, again] = useAnswer(claim.calls.refundInputs);
  const isChosen = onBack !== undefined;
  useEffect(() => {
    if (isChosen) arriveAt(title.current);
  }, [isChosen]);
  return (
    <section aria-labelledby="refund-title">
      <h2 ref={title} tabIndex={-1} className={css.subheading} id="refund-title">
        {t('refund.title')}
      </h2>
      <RefundSum claim={claim} />
      <p className={css.text}>{t('refund.text')}</p>
      {inputs.state === 'loading' && <p className={css.small}>{t('refund.loading')}</p>}
      {inputs.state === 'failed' && (
        <button type="button" className="linkbtn" onClick={again}>
          {t('error.retry')}
        </button>
      )}
      {inputs.state === 'ready' && <Inputs claim={claim} action={action} inputs={inputs.value} onBack={onBack} />}
    </section>
  );
}

function Inputs({ claim, action, inputs, onBack }: StepProps & { inputs: RequisiteInput[]; onBack: Props['onBack'] }) {
  const t = useT('claim');
  const check = useChecker();
  const [values, setValues] = useState<Record<string, string>>({});
  const [found, setFound] = useState<Record<string, string>>({});
  const filled = (name: string) => (values[name] ?? '').trim();
  const refused = action.refused?.action === 'refund' ? action.refused.fields : {};
  const problemOf = async ({ name, kind, required }: RequisiteInput) => {
    if (filled(name) === '') return required ? t('refund.missing') : null;
    return (await check(kind, filled(name))).problem;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const problems = await Promise.all(inputs.map(async (input) => [input.name, await problemOf(input)] as const));
    const wrong = problems.flatMap(([name, problem]) => (problem === null ? [] : [[name, problem]]));
    setFound(Object.fromEntries(wrong));
    if (wrong.length > 0) return;
    const given = inputs.map(({ name }) => [name, filled(name)] as const).filter(([, value]) => value !== '');
    await action.run('refund', () => claim.calls.refund(Object.fromEntries(given)));
  };
  const hasNamedField = Object.keys(refused).length > 0;
  return (
    <form className={css.refund} noValidate onSubmit={(event) => void submit(event)}>
      {inputs.map((input) => (
        <RequisiteField
          key={input.name}
          input={input}
          name={`requisites.${input.name}`}
          value={values[input.name] ?? ''}
          error={found[input.name] ?? refused[`requisites.${input.name}`]}
          onChange={(value) => {
            setValues({ ...values, [input.name]: value });
            setFound(({ [input.name]: _, ...rest }) => rest);
          }}
        />
      ))}
      {!hasNamedField && <Refusal action={action} of="refund" />}
      <Actions>
        <ActionButton main submit busy={action.busy === 'refund'}>
          {t(action.busy === 'refund' ? 'refund.sending' : 'refund.send')}
        </ActionButton>
        {onBack && (
          <ActionButton quiet busy={false} onClick={onBack}>
            {t('refund.back')}
          </ActionButton>
        )}
      </Actions>
    </form>
  );
}
