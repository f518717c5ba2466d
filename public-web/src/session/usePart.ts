import { type ComponentType, useContext, useEffect, useState } from 'react';
import { again } from '../again';
import { whileLoading } from '../api/activity';
import { type Feature, loadTexts, TextsContext } from '../i18n/texts';

/** Loads a component that only some visitors need, with its texts; null until it is loaded. */
export function usePart<P>(
  wanted: boolean,
  load: () => Promise<ComponentType<P>>,
  onFailure?: () => void,
  feature: Feature | readonly Feature[] = 'account',
): ComponentType<P> | null {
  const texts = useContext(TextsContext);
  const [part, setPart] = useState<ComponentType<P> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: how to load, with which texts and what to do without are not reasons to load.
  useEffect(() => {
    let current = true;
    if (wanted && part === null) {
      whileLoading(
        Promise.all([again(load), ...[feature].flat().map((name) => loadTexts(texts, name as Feature))]),
      ).then(
        ([loaded]) => current && setPart(() => loaded),
        (error) => {
          console.error(error);
          if (current) onFailure?.();
        },
      );
    }
    return () => {
      current = false;
    };
  }, [wanted, part, texts]);
  return part;
}
