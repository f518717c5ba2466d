import type { Customer } from '../../../api/types';
import type { Calculator } from '../calculator/useCalculator';
import { Promo } from './Promo';
import { Saved } from './Saved';
import type { Stub } from './useStub';

interface ExtrasProps {
  stub: Stub;
  calculator: Calculator;
  customer: Customer | null;
  /** Whether the promo field is open. */
  isCodeOpen: boolean;
}

/** A promo code, and saved requisites of customers. */
export function Extras({ stub, calculator, customer, isCodeOpen }: ExtrasProps) {
  return (
    <>
      <Promo stub={stub} calculator={calculator} isOpen={isCodeOpen} />
      {customer ? <Saved stub={stub} confirmed={customer.activated} /> : null}
    </>
  );
}
