import { cloneElement, Fragment, type ReactElement, type ReactNode, useContext } from 'react';
import { type Feature, fillIn, type TextKey, TextsContext, textOf } from './texts';

interface TransProps<F extends Feature> {
  ns: F;
  i18nKey: TextKey<F>;
  values?: Record<string, string | number>;
  /** Elements by the names of the marks around their words: "<terms>the rules</terms>". */
  components: Record<string, ReactElement<{ children?: ReactNode }>>;
}

/** A text with elements in it. */
export function Trans<F extends Feature>({ ns, i18nKey, values, components }: TransProps<F>) {
  const texts = useContext(TextsContext);
  const parts = textOf(texts, ns, i18nKey, values?.count).split(/(<(\w+)>.*?<\/\2>)/s);
  // The split leaves the text between marks, each mark with its words, and the mark's name in turn.
  return parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: a text's parts keep their places.
    return <Fragment key={index}>{index % 3 === 2 ? null : rendered(part, values, components)}</Fragment>;
  });
}

function rendered(
  part: string,
  values: TransProps<Feature>['values'],
  components: TransProps<Feature>['components'],
): ReactNode {
  const [, name = '', words = ''] = /^<(\w+)>(.*)<\/\1>$/s.exec(part) ?? [];
  const element = components[name];
  return element ? cloneElement(element, {}, fillIn(words, values)) : fillIn(part, values);
}
