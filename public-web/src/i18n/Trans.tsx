import { cloneElement, Fragment, type ReactElement, type ReactNode } from 'react';
import { type Feature, type TextKey, type TextParams, useT } from './texts';

interface TransProps<F extends Feature> {
  ns: F;
  i18nKey: TextKey<F>;
  values?: TextParams;
  /** Elements by the names of their tags: "<terms>the rules</terms>". */
  components: Record<string, ReactElement<{ children?: ReactNode }>>;
}

/** A text with elements in it. */
export function Trans<F extends Feature>({ ns, i18nKey, values, components }: TransProps<F>) {
  // The split gives the text between tags, each tag's name and its content in turn.
  const parts = useT(ns)(i18nKey, values).split(/<(\w+)>(.*?)<\/\1>/s);
  return parts.map((part, index) => {
    const element = index % 3 === 2 ? components[parts[index - 1] ?? ''] : undefined;
    // biome-ignore lint/suspicious/noArrayIndexKey: a text's parts keep their places.
    return <Fragment key={index}>{element ? cloneElement(element, {}, part) : index % 3 === 1 ? null : part}</Fragment>;
  });
}
