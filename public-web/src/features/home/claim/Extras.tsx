import type { Calculator } from '../calculator/useCalculator';
import { Kept } from './Kept';
import { Promo } from './Promo';
import type { Stub } from './useStub';

interface ExtrasProps {
  stub: Stub;
  calculator: Calculator;
  isCustomer: boolean;
  /** Whether the visitor asked for the field for a promo code. */
  isCodeWanted: boolean;
}

/** What more may be said with a claim: a promo code, and for customers what they keep. */
export function Extras({ stub, calculator, isCustomer, isCodeWanted }: ExtrasProps) {
  return (
    <>
      <Promo stub={stub} calculator={calculator} isOpen={isCodeWanted} />
      {isCustomer ? <Kept stub={stub} /> : null}
    </>
  );
}
