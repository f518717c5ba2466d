import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { ClaimStatus, RequisiteInput } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { useT } from '../../../i18n/texts';
import { RequisiteField } from '../../../requisites/RequisiteField';
import { useChecker } from '../../../requisites/useRequisite';
import { arriveAt } from '../ticket/Ticket';
import { ActionButton, Actions, Refusal, type StepProps } from './parts';
import { RefundSum, SurplusSum } from './RefundSum';
import css from './steps.module.css';

interface Props extends StepProps {
  /** Back to the other options; absent where there are none. */
  onBack?: () => void;
  /** The terms of the agreed amount, where only the rest is returned. */
  terms?: NonNullable<ClaimStatus['offer']>;
}

/** The amount that is returned and its destination. The server decides on the fields. */
export function RefundForm({ claim, action, onBack, terms }: Props) {
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
        {t(terms ? 'surplus.title' : 'refund.title')}
      </h2>
      {terms ? <SurplusSum claim={claim} terms={terms} /> : <RefundSum claim={claim} />}
      <p className={css.text}>{t('refund.text')}</p>
      {inputs.state === 'loading' && <p className={css.small}>{t('refund.loading')}</p>}
      {inputs.state === 'failed' && (
        <button type="button" className="linkbtn" onClick={again}>
          {t('error.retry')}
        </button>
      )}
      {inputs.state === 'ready' && (
        <Inputs claim={claim} action={action} inputs={inputs.value} onBack={onBack} terms={terms} />
      )}
    </section>
  );
}

function Inputs({ claim, action, inputs, onBack, terms }: Props & { inputs: RequisiteInput[] }) {
  const t = useT('claim');
  const check = useChecker();
  const [values, setValues] = useState<Record<string, string>>({});
  const [found, setFound] = useState<Record<string, string>>({});
  const kinds = inputs.map((input) => input.kind);
  const filled = (name: string) => (values[name] ?? '').trim();
  const kind = terms ? 'return_surplus' : 'refund';
  const refused = action.refused?.action === kind ? action.refused.fields : {};
  const problemOf = async ({ name, kind, required }: RequisiteInput) => {
    if (filled(name) === '') return required ? t('refund.missing') : null;
    return (await check(kind, filled(name), kinds)).problem;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const problems = await Promise.all(inputs.map(async (input) => [input.name, await problemOf(input)] as const));
    const wrong = problems.flatMap(([name, problem]) => (problem === null ? [] : [[name, problem]]));
    setFound(Object.fromEntries(wrong));
    if (wrong.length > 0) return;
    const given = inputs.map(({ name }) => [name, filled(name)] as const).filter(([, value]) => value !== '');
    const requisites = Object.fromEntries(given);
    await action.run(kind, () =>
      terms
        ? claim.calls.returnSurplus({ fromSumma: terms.fromSumma, toSumma: terms.toSumma, requisites })
        : claim.calls.refund(requisites),
    );
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
          beside={kinds}
          error={found[input.name] ?? refused[`requisites.${input.name}`]}
          onChange={(value) => {
            setValues({ ...values, [input.name]: value });
            setFound(({ [input.name]: _, ...rest }) => rest);
          }}
        />
      ))}
      {!hasNamedField && <Refusal action={action} of={kind} />}
      <Actions>
        <ActionButton main submit busy={action.busy === kind}>
          {t(action.busy === kind ? 'refund.sending' : terms ? 'surplus.send' : 'refund.send')}
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
