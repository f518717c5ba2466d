import { useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError, wordsFor } from '../../../api/errors';
import type { ClaimDraft } from '../../../api/types';
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
}

export interface Submission {
  busy: boolean;
  changed: Changed | null;
  failure: string | null;
  /** Makes the claim from what is on the page, or from the new numbers the customer has agreed to. */
  submit: (agreed?: Changed) => Promise<void>;
}

/** Names of the server's fields that stand on the page under other names. */
const PLACES: Record<string, string> = {
  fromSumma: 'amount',
  toSumma: 'amount',
  'extras.termsVersion': 'terms',
  'extras.amlConsent': 'terms',
  'extras.ownFunds': 'ownFunds',
};

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
  const [failure, setFailure] = useState<string | null>(null);

  const draftOf = (sums: Pick<Changed, 'fromSumma' | 'toSumma'>): ClaimDraft | null => {
    const { pair, from, to, market } = calculator;
    if (!pair || !from || !to) {
      return null;
    }
    const termsVersion = market?.settings?.termsVersion;
    return {
      email: stub.email.trim(),
      fromPs: from.id,
      toPs: to.id,
      fromSumma: sums.fromSumma,
      toSumma: sums.toSumma,
      fromRequisites: stub.requisites('from'),
      toRequisites: stub.requisites('to'),
      quoteId: pair.quote.id,
      extras: {
        ...(termsVersion && { termsVersion }),
        amlConsent: true,
        ownFunds: true,
        ...(stub.consents.keep && { keepRequisites: true }),
      },
    };
  };

  const refused = async (error: ApiError) => {
    if (error.code === 'technical_mode') {
      navigate(paths.tech());
      return;
    }
    if (error.code === 'rate_changed') {
      const [course, fromSumma, toSumma] = ['course', 'fromSumma', 'toSumma'].map((name) => error.param(name));
      await calculator.renew();
      setOffered(course && fromSumma && toSumma ? { pair: pairKey, course, fromSumma, toSumma } : null);
      setFailure(course && fromSumma && toSumma ? null : wordsFor(error, common));
      return;
    }
    if (/^amount_(below_min|above_max)$|^pair_unavailable$/.test(error.code)) {
      await calculator.renew();
      calculator.leave();
    }
    const messages = Object.entries(error.fieldMessages()).map(([field, text]) => [PLACES[field] ?? field, text]);
    stub.setErrors(Object.fromEntries(messages) as Record<string, string>);
    setFailure(wordsFor(error, common));
    focusFirstError();
  };

  const send = async (draft: ClaimDraft) => {
    setBusy(true);
    try {
      const { submitClaim } = await import('./submitClaim');
      const claim = await submitClaim(locale, draft);
      rememberClaim(claim.id);
      navigate(paths.claim());
    } catch (error) {
      if (error instanceof ApiError) {
        await refused(error);
      } else {
        console.error(error);
        setFailure(wordsFor(error, common));
      }
    } finally {
      setBusy(false);
    }
  };

  const submit = async (agreed?: Changed) => {
    setFailure(null);
    setOffered(null);
    const settled = calculator.leave();
    const { send: fromSumma, receive: toSumma } = settled?.amounts ?? { send: null, receive: null };
    if (settled?.snapped && !agreed) {
      document.getElementById('amount-from')?.focus();
      setFailure(t('snapped_look'));
      return;
    }
    const problems = await stub.validate();
    if (Object.keys(problems).length > 0) {
      focusFirstError();
      return;
    }
    const sums = agreed ?? (fromSumma && toSumma ? { fromSumma, toSumma } : null);
    const draft = sums && draftOf(sums);
    if (draft) {
      await send(draft);
    }
  };

  return { busy, changed, failure, submit };
}

/** Brings the first thing still missing into sight, after the page has shown what is wrong. */
function focusFirstError(): void {
  requestAnimationFrame(() => {
    const first = document.querySelector<HTMLElement>('form [aria-invalid="true"]');
    first?.scrollIntoView({ block: 'center' });
    first?.focus({ preventScroll: true });
  });
}
