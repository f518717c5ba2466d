import { useContext, useEffect, useState } from 'react';
import type { RequisiteKind } from '../api/types';
import { loadTexts, type Say, TextsContext, voiceOf } from '../i18n/texts';
import type { Verdict } from './verdict';

/** What a check says in the language of the page. */
export interface Checked {
  /** The value this is about. */
  value: string;
  problem: string | null;
  verified: boolean;
}

/** Checks a value and words what is wrong with it. The checks and their texts load at the first call. */
export type Checker = (kind: RequisiteKind, value: string) => Promise<Checked>;

export function useChecker(): Checker {
  const texts = useContext(TextsContext);
  return async (kind, value) => {
    const [{ checkRequisite }] = await Promise.all([import('./index'), loadTexts(texts, 'requisites')]);
    const verdict = await checkRequisite(kind, value);
    return { value, problem: words(verdict, kind, voiceOf(texts, 'requisites')), verified: verdict.verified };
  };
}

function words({ refusal, other }: Verdict, kind: RequisiteKind, say: Say<'requisites'>): string | null {
  if (refusal === null) {
    return null;
  }
  const params = { expected: say(`kind_${kind}`), other: other ? say(`kind_${other}`) : '' };
  return refusal === 'wrong_network' && !other ? say('bad_checksum') : say(refusal, params);
}

/** The verdict on what stands in a field now; null while it is empty or being checked. */
export function useRequisite(kind: RequisiteKind, value: string): Checked | null {
  const check = useChecker();
  const [checked, setChecked] = useState<Checked | null>(null);
  const typed = value.trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the checker is the same for every render of a page.
  useEffect(() => {
    if (typed === '') {
      return;
    }
    let current = true;
    check(kind, typed).then((answer) => {
      if (current) {
        setChecked(answer);
      }
    }, console.error);
    return () => {
      current = false;
    };
  }, [kind, typed]);
  return checked?.value === typed ? checked : null;
}
