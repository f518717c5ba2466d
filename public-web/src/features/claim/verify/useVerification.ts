import { ApiError } from '@agio/client/problem';
import { useCallback, useEffect, useRef } from 'react';
import { call } from '../../../api/client';
import type { Verification } from '../../../api/types';
import { type AnswerState, useAnswer } from '../../../api/useAnswer';
import { useLocale } from '../../../i18n/locale';
import { claimChanged } from '../../../openClaims/changes';
import { useSession } from '../../../session/session';

/** The polling interval in milliseconds. */
const PACE = 5_000;

/** A verification, polled while staff may decide on it. Null where there is none for this visitor. */
export function useVerification(id: string): [AnswerState<Verification | null>, again: () => void] {
  const locale = useLocale();
  const session = useSession();
  const ask = useCallback(async () => {
    try {
      return await call(locale, 'GET /verify/{id}/', { path: { id }, quiet: true });
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return null;
      throw error;
    }
  }, [locale, id]);
  // An account's verification is visible once its owner is signed in.
  const [answer, again] = useAnswer(ask, session.phase);
  const isOpen = answer.state === 'ready' && (answer.value?.state === 'asked' || answer.value?.state === 'sent');
  useEffect(() => {
    if (!isOpen) return;
    const look = () => {
      if (document.visibilityState === 'visible') again();
    };
    const timer = setInterval(look, PACE);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [isOpen, again]);
  const shown = useRef<string>(undefined);
  const { state, expiresAt } = (answer.state === 'ready' && answer.value) || {};
  const now = state && `${state} ${expiresAt}`;
  useEffect(() => {
    if (now === undefined) return;
    // Its claim has another deadline, or none.
    if (shown.current !== undefined && shown.current !== now) claimChanged();
    shown.current = now;
  }, [now]);
  return [answer, again];
}
