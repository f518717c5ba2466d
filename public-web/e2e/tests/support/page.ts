import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';

/** Checks the rules of accessibility that a machine can check, and the contrast in the dark theme as well. */
export async function expectAccessible(page: Page): Promise<void> {
  // The address changes before the page is there.
  await expect(page.locator('h1').first()).toBeAttached();
  // Without legacy mode a blank page is opened for every check, for the sake of foreign frames; the sites have none.
  const builder = () => new AxeBuilder({ page }).setLegacyMode();
  type Found = Awaited<ReturnType<AxeBuilder['analyze']>>['violations'];
  const places = (found: Found) => found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(' ')}`);
  // A message that begins to leave while it is checked is gone the next time.
  await expect(async () => {
    await transitionsEnd(page);
    const { violations: light } = await builder().analyze();
    await page.emulateMedia({ colorScheme: 'dark' });
    await transitionsEnd(page);
    const { violations: dark } = await builder().withRules(['color-contrast']).analyze();
    await page.emulateMedia({ colorScheme: null });
    expect({ light: places(light), dark: places(dark) }).toEqual({ light: [], dark: [] });
  }).toPass({ timeout: 60_000 });
}

/** Colours on their way from one state or theme to another are those of neither. The console follows by its script. */
const transitionsEnd = (page: Page) =>
  page.evaluate(async () => {
    const frames = async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    };
    await frames();
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
    // What faded out, such as a tooltip, is taken off the page after its transition.
    await frames();
  });

/**
 * The page is no wider than the screen, no table wider than its place and no amount than its field, once all has settled
 * after a change of size.
 */
export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = () =>
    page.evaluate(() => {
      const end = (element: Element) => element.getBoundingClientRect().right;
      const tables = [...document.querySelectorAll('table')].map((table) => {
        const place = table.parentElement as Element;
        return getComputedStyle(place).overflowX === 'visible' ? end(table) - end(place) : 0;
      });
      const amounts = [...document.querySelectorAll('input[inputmode="decimal"]')].map(
        (amount) => amount.scrollWidth - amount.clientWidth,
      );
      return Math.max(document.documentElement.scrollWidth - window.innerWidth, ...tables, ...amounts);
    });
  await expect.poll(overflow).toBeLessThan(1);
}

/** No text crosses an edge of the screen: some parts hide what does, and the page stays as narrow. */
export async function expectNoCutText(page: Page): Promise<void> {
  const cut = () =>
    page.evaluate(() => {
      // What is for screen readers alone has the size of a dot.
      const isDot = (element: Element | null): boolean =>
        element !== null && (element.getBoundingClientRect().width <= 1 || isDot(element.parentElement));
      const found: string[] = [];
      const range = document.createRange();
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { parentElement: place, textContent } = texts.currentNode;
        if (!textContent?.trim() || !place?.checkVisibility({ visibilityProperty: true })) continue;
        if (place.closest('[aria-hidden="true"]') || isDot(place)) continue;
        range.selectNodeContents(texts.currentNode);
        const { left, right } = range.getBoundingClientRect();
        if (left < -1 || right > window.innerWidth + 1) found.push(textContent);
      }
      return found;
    });
  await expect.poll(cut).toEqual([]);
}

/** Collects the errors of a page, to be empty at the end of a test. */
export function consoleErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

/** The page has moved by no more than `most` by itself since it was opened (the score of cumulative layout shift). */
export async function expectUnmoved(page: Page, most = 0): Promise<void> {
  const moves = await page.evaluate(
    () =>
      new Promise<{ score: number; moved: string[] }[]>((resolve) => {
        const known = new PerformanceObserver((list) => {
          const shifts = list.getEntries() as unknown as LayoutShift[];
          resolve(
            shifts.map(({ value, sources }) => ({
              score: value,
              moved: sources.map(({ node, previousRect: from, currentRect: to }) => {
                const { nodeName = '', className = '', textContent = '' } = (node ?? {}) as Partial<Element>;
                return `${nodeName} ${className} ${from.y}+${from.height} to ${to.y}+${to.height} ${textContent?.slice(0, 40)}`;
              }),
            })),
          );
        });
        known.observe({ type: 'layout-shift', buffered: true });
        // Nothing is reported where nothing moved.
        setTimeout(() => resolve([]), 500);
      }),
  );
  const score = moves.reduce((sum, move) => sum + move.score, 0);
  expect(score, `${page.url()} moved: ${JSON.stringify(moves, null, 2)}`).toBeLessThanOrEqual(most);
}

/** Of the Layout Instability API, which browsers' types lack. */
interface LayoutShift {
  value: number;
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

/** Counts how often a page is loaded from here on: live updates never load it. */
export function loads(page: Page): { count: number } {
  const loaded = { count: 0 };
  page.on('load', () => {
    loaded.count += 1;
  });
  return loaded;
}

/** A heading is at the top of what the screen shows, on a wide one below the header of the page, and nothing covers it. */
export async function expectAtTop(heading: Locator): Promise<void> {
  const position = () =>
    heading.evaluate((node) => {
      const { top, left, height } = node.getBoundingClientRect();
      const shown = document.elementFromPoint(left + 2, top + height / 2);
      const isCovered = !(shown && (node.contains(shown) || shown.contains(node)));
      // A short page cannot be scrolled so far.
      const isAtEnd = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1;
      return {
        isCovered,
        isAtTop: top >= 0 && top < (isAtEnd ? window.innerHeight / 2 : window.innerWidth > 720 ? 225 : 120),
      };
    });
  await expect.poll(position).toEqual({ isCovered: false, isAtTop: true });
}
