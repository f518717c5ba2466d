import type { Pair, RequisiteInput, RequisiteKind } from '../../../api/types';

/** A field of the form, named as in the server's errors. */
export interface StubField extends RequisiteInput {
  /** "toRequisites.card", "fromRequisites.refund". */
  key: string;
  side: 'from' | 'to';
  /** The kinds of all fields on its side. */
  beside: RequisiteKind[];
  /** The key of a typed value: the same field of another pair with that currency reuses it. */
  memory: string;
}

/** The fields the pair requires: the payout details, and what is needed of the payer. */
export function fieldsOf(pair: Pair): StubField[] {
  const of = (side: 'from' | 'to') => {
    const { currency, input } = pair.structure[side];
    const asked = input.filter((one) => (side === 'to' ? one.receive : one.send));
    const beside = asked.map(({ kind }) => kind);
    return asked.map((one) => ({
      ...one,
      side,
      beside,
      key: `${side}Requisites.${one.name}`,
      memory: `${currency.code}.${one.name}`,
    }));
  };
  return [...of('to'), ...of('from')];
}
