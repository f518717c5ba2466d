import { useSession } from '../../../session/session';
import type { Calculator } from '../calculator/useCalculator';
import { Kept } from './Kept';
import { Promo } from './Promo';
import type { Stub } from './useStub';

/** What more may be said with a claim: a promo code, and for customers what they keep. */
export function Extras({ stub, calculator }: { stub: Stub; calculator: Calculator }) {
  const isCustomer = useSession().phase === 'customer';
  return (
    <>
      <Promo stub={stub} calculator={calculator} />
      {isCustomer ? <Kept stub={stub} /> : null}
    </>
  );
}
