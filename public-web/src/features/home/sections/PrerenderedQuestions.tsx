import { lazy } from 'react';
import { useIsServed } from '../../../served/useIsServed';
import { usePart } from '../../../session/usePart';

const ID = 'home-questions';
const NOTHING = { __html: '' };

const load = async () => (await import('./Questions')).Questions;
const Questions = import.meta.env.SSR ? lazy(async () => ({ default: await load() })) : null;

/**
 * The questions need no script, so the home page is delivered with them and without the code for them. It is loaded
 * where the visitor came from another page.
 */
export function PrerenderedQuestions() {
  const isThere = useIsServed(ID);
  const Part = usePart(!isThere, load, undefined, 'questions');
  if (Questions) {
    return (
      <div id={ID}>
        <Questions />
      </div>
    );
  }
  if (!isThere) return Part && <Part />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: React leaves what the build has rendered.
  return <div id={ID} dangerouslySetInnerHTML={NOTHING} suppressHydrationWarning />;
}
