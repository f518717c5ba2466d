import { useState } from 'react';
import { useNavigate } from 'react-router';
import { wordsFor } from '../../../api/errors';
import { rememberClaim } from '../../../claimMemory';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import type { Calculator } from '../calculator/useCalculator';
import type { Stub } from './useStub';

/** The numbers the server would exchange at now, when they are no longer those on the page. */
export interface Changed {
  /** The pair they are of, by ids. */
  pair: string;
  course: string;
  fromSumma: string;
  toSumma: string;
  /** What was received for it until now. */
  was: string;
}

export type Sums = Pick<Changed, 'fromSumma' | 'toSumma'>;

export interface Failure {
  words: string;
  /** The greatest amounts that would not be refused for what the others hold, where that was the reason. */
  most?: Sums;
}

export interface Submission {
  busy: boolean;
  changed: Changed | null;
  failure: Failure | null;
  /** Puts the greatest amounts that would not be refused in the place of what is typed. */
  takeMost: () => void;
  /** Makes the claim from what is on the page, or from the new numbers the customer has agreed to. */
  submit: (agreed?: Changed) => Promise<void>;
}

export function useSubmission(calculator: Calculator, stub: Stub): Submission {
  const common = useT('common');
  const t = useT('home');
  const locale = useLocale();
  const paths = usePaths();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [offered, setOffered] = useState<Changed | null>(null);
  const pairKey = `${calculator.from?.id} ${calculator.to?.id}`;
  // New numbers hold for the amount and the pair they were named for, and vanish with another.
  const fits = offered?.pair === pairKey && offered.fromSumma === calculator.amounts.send;
  const changed = fits ? offered : null;
  const [failure, setFailure] = useState<Failure | null>(null);

  const fail = (why: Failure | null) => {
    setFailure(why);
    showOutcome();
  };

  const send = async (sums: Sums) => {
    setBusy(true);
    try {
      const { makeClaim } = await import('./makeClaim');
      const made = await makeClaim({ locale, calculator, stub, sums, pair: pairKey, common });
      if ('id' in made) {
        rememberClaim(made.id);
        navigate(paths.claim());
      } else if (made.isTechnical) {
        navigate(paths.tech());
      } else {
        setOffered(made.changed);
        fail(made.failure);
      }
    } catch (error) {
      console.error(error);
      fail({ words: wordsFor(error, common) });
    } finally {
      setBusy(false);
    }
  };

  const submit = async (agreed?: Changed) => {
    setFailure(null);
    setOffered(null);
    const settled = calculator.leave();
    if (settled?.isNew && !settled.isRefused && !agreed) {
      fail({ words: t('snapped_look') });
      return;
    }
    if (settled?.isRefused || Object.keys(await stub.validate()).length > 0) {
      showOutcome();
      return;
    }
    const { send: fromSumma, receive: toSumma } = settled?.amounts ?? { send: null, receive: null };
    const sums = agreed ?? (fromSumma && toSumma ? { fromSumma, toSumma } : null);
    if (sums) {
      await send(sums);
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

/** Brings the first thing still missing into sight, or else what is said above the button, after the page has shown it. */
function showOutcome(): void {
  requestAnimationFrame(() => {
    const first = document.querySelector<HTMLElement>('form [aria-invalid="true"]');
    (first ?? document.getElementById('outcome'))?.scrollIntoView({ block: 'center' });
    first?.focus({ preventScroll: true });
  });
}
