import { useContext, useEffect, useState } from 'react';
import { again } from '../again';
import type { RequisiteKind } from '../api/types';
import { loadTexts, type TextKey, TextsContext, type Translate, translator } from '../i18n/texts';
import type { Verdict } from './verdict';

/** The result of a check in the language of the page. */
export interface Checked {
  value: string;
  problem: string | null;
  verified: boolean;
  /** What was probably meant, and the words to offer it. */
  suggestion: { value: string; text: string } | null;
}

/** The checks and their texts are loaded at the first call. `beside` are the kinds of the form's fields on the same side. */
export type Checker = (kind: RequisiteKind, value: string, beside?: RequisiteKind[]) => Promise<Checked>;

export function useChecker(): Checker {
  const texts = useContext(TextsContext);
  return async (kind, value, beside) => {
    const [{ checkRequisite }] = await Promise.all([again(() => import('./index')), loadTexts(texts, 'requisites')]);
    const t = translator(texts, 'requisites');
    const verdict = checkRequisite(kind, value, beside);
    const { verified, suggestion: meant } = verdict;
    const suggestion = meant ? { value: meant, text: t('suggestion', { value: meant }) } : null;
    return { value, problem: problemText(verdict, kind, t), verified, suggestion };
  };
}

function problemText({ refusal, other }: Verdict, kind: RequisiteKind, t: Translate<'requisites'>): string | null {
  if (refusal === null) return null;
  const nameOf = (kind: RequisiteKind) => t(`kind_${kind}` as TextKey<'requisites'>);
  const params = { expected: nameOf(kind), other: other ? nameOf(other) : '' };
  return refusal === 'wrong_network' && !other ? t('bad_checksum') : t(refusal, params);
}

/** The result for the current value; null while it is empty or being checked. */
export function useRequisite(kind: RequisiteKind, value: string, beside?: RequisiteKind[]): Checked | null {
  const check = useChecker();
  const [checked, setChecked] = useState<Checked | null>(null);
  const typed = value.trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the checker and the fields beside are the same for every render of a field.
  useEffect(() => {
    if (typed === '') return;
    let current = true;
    check(kind, typed, beside).then((answer) => {
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
