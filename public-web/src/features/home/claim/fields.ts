import type { Pair, RequisiteInput } from '../../../api/types';

/** A field of the stub, named as the server names it in its errors. */
export interface StubField extends RequisiteInput {
  /** "toRequisites.card", "fromRequisites.refund". */
  key: string;
  side: 'from' | 'to';
  /** Under what a typed value is kept: the same field of another pair of that currency finds it again. */
  memory: string;
}

/** What the pair asks for: where to send the money, and what is needed of the sender. */
export function fieldsOf(pair: Pair): StubField[] {
  const of = (side: 'from' | 'to') => {
    const { currency, input } = pair.structure[side];
    return input
      .filter((one) => (side === 'to' ? one.receive : one.send))
      .map((one) => ({ ...one, side, key: `${side}Requisites.${one.name}`, memory: `${currency.code}.${one.name}` }));
  };
  return [...of('to'), ...of('from')];
}
