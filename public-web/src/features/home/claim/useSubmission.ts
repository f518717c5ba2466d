import { useState } from 'react';
import { useNavigate } from 'react-router';
import { again } from '../../../again';
import { errorText } from '../../../api/errors';
import { rememberClaim } from '../../../claimMemory';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { dropDraft } from '../../../pair/draft';
import type { Calculator } from '../calculator/useCalculator';
import type { Stub } from './useStub';

/** The server's present amounts, when they differ from those on the page. */
export interface Changed {
  /** The pair, by ids. */
  pair: string;
  rate: string;
  fromSumma: string;
  toSumma: string;
  /** The former received amount. */
  was: string;
}

export type Sums = Pick<Changed, 'fromSumma' | 'toSumma'>;

export interface Failure {
  text: string;
  /** The greatest possible amounts, where the reserve was the reason. */
  most?: Sums;
}

export interface Submission {
  busy: boolean;
  changed: Changed | null;
  failure: Failure | null;
  /** Applies the greatest possible amounts. */
  takeMost: () => void;
  /** Creates the claim from the page, or from the new amounts the customer accepted. */
  submit: (agreed?: Changed) => Promise<void>;
}

const loadMakeClaim = () => import('./makeClaim');

/** Loads what the button will need, so that it can say at once when there is no connection. */
export const prepareClaim = () => void loadMakeClaim().catch(console.error);

export function useSubmission(calculator: Calculator, stub: Stub): Submission {
  const common = useT('common');
  const t = useT('home');
  const locale = useLocale();
  const paths = usePaths();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [offered, setOffered] = useState<Changed | null>(null);
  const pairKey = `${calculator.from?.id} ${calculator.to?.id}`;
  // New amounts belong to their pair and amount, and vanish with another.
  const fits = offered?.pair === pairKey && offered.fromSumma === calculator.amounts.give;
  const changed = fits ? offered : null;
  const [failure, setFailure] = useState<Failure | null>(null);

  const fail = (why: Failure | null) => {
    setFailure(why);
    showOutcome();
  };

  const create = async (sums: Sums) => {
    setBusy(true);
    try {
      const { makeClaim } = await again(loadMakeClaim);
      const outcome = await makeClaim({ locale, calculator, stub, sums, pair: pairKey, common });
      if ('id' in outcome) {
        dropDraft();
        rememberClaim(outcome.id);
        // The heading of the first step comes to the top, as those of the others.
        navigate(paths.claim(), { state: { hasMovedOn: true } });
      } else if (outcome.isTechnical) {
        navigate(paths.tech(), { state: { back: window.location.pathname + window.location.search } });
      } else {
        setOffered(outcome.changed);
        fail(outcome.failure);
      }
    } catch (error) {
      console.error(error);
      fail({ text: errorText(error, common) });
    } finally {
      setBusy(false);
    }
  };

  const submit = async (agreed?: Changed) => {
    setFailure(null);
    setOffered(null);
    const settled = calculator.leave();
    if (settled?.isNew && !settled.isRefused && !agreed) {
      fail({ text: t('snapped_look') });
      return;
    }
    try {
      if (settled?.isRefused || Object.keys(await stub.validate()).length > 0) return showOutcome();
    } catch (error) {
      // The checks could not be loaded.
      return fail({ text: errorText(error, common) });
    }
    const { give: fromSumma, receive: toSumma } = settled?.amounts ?? { give: null, receive: null };
    const sums = agreed ?? (fromSumma && toSumma ? { fromSumma, toSumma } : null);
    if (sums) {
      await create(sums);
    }
  };

  const takeMost = () => {
    if (failure?.most) {
      calculator.set('from', failure.most.fromSumma);
    }
    setFailure(null);
  };

  return { busy, changed, failure, takeMost, submit };
}

/** Scrolls to the first missing field or the message above the button, once the page shows it. */
function showOutcome(): void {
  requestAnimationFrame(() => {
    const first = document.querySelector<HTMLElement>('form [aria-invalid="true"]');
    (first ?? document.getElementById('outcome'))?.scrollIntoView({ block: 'center' });
    first?.focus({ preventScroll: true });
  });
}
