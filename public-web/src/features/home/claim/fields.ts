import type { Pair, RequisiteInput } from '../../../api/types';

/** A field of the form, named as in the server's errors. */
export interface StubField extends RequisiteInput {
  /** "toRequisites.card", "fromRequisites.refund". */
  key: string;
  side: 'from' | 'to';
  /** The key of a typed value: the same field of another pair with that currency reuses it. */
  memory: string;
}

/** The fields the pair requires: the payout details, and what is needed of the payer. */
export function fieldsOf(pair: Pair): StubField[] {
  const of = (side: 'from' | 'to') => {
    const { currency, input } = pair.structure[side];
    return input
      .filter((one) => (side === 'to' ? one.receive : one.send))
      .map((one) => ({ ...one, side, key: `${side}Requisites.${one.name}`, memory: `${currency.code}.${one.name}` }));
  };
  return [...of('to'), ...of('from')];
}
