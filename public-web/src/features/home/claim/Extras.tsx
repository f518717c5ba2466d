import type { Customer } from '../../../api/account';
import type { Calculator } from '../calculator/useCalculator';
import { Kept } from './Kept';
import { Promo } from './Promo';
import type { Stub } from './useStub';

interface ExtrasProps {
  stub: Stub;
  calculator: Calculator;
  customer: Customer | null;
  /** Whether the visitor asked for the field for a promo code. */
  isCodeWanted: boolean;
}

/** What more may be said with a claim: a promo code, and for customers what they keep. */
export function Extras({ stub, calculator, customer, isCodeWanted }: ExtrasProps) {
  return (
    <>
      <Promo stub={stub} calculator={calculator} isOpen={isCodeWanted} />
      {customer ? <Kept stub={stub} confirmed={customer.activated} /> : null}
    </>
  );
}
