/**
 * What every state of a screen owes to everybody: no finding of axe in either scheme, and no sideways scroll.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/**
 * Minified, since each page compiles it anew: the source that the package hands out is twice as long. Compressed,
 * since on its way through the browser to the page it is written and read several times.
 */
const AXE = gzipSync(readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')))).toString(
  'base64',
);

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * All rules; those whose outcome depends on colours and widths, since the others read markup that is the same in
 * every look; and those that depend on colours alone.
 */
const RULES = {
  all: { type: 'tag', values: TAGS },
  'of looks': { type: 'rule', values: ['color-contrast', 'target-size'] },
  'of colours': { type: 'rule', values: ['color-contrast'] },
} as const;

/** Each look after the one before, so that the scheme changes once. */
const WIDE_LOOKS = [
  ['dark', 'of looks'],
  ['light', 'of colours'],
] as const;
const FIRST_LOOKS = [
  ['light', 'all'],
  ['dark', 'of colours'],
] as const;
const WIDE_PX = 1280;

/**
 * Looks at the page as it stands, as wide as it is and on a desktop, in both schemes, and on a narrow phone
 * with text of twice the size.
 *
 * @param station names the state in failures.
 */
export async function expectForEverybody(page: Page, station: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 390, height: 844 };
  // What is folded is looked at as well, and Chromium may draw no frame for what moves in it.
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details:not([open])')) {
      details.setAttribute('open', '');
      details.setAttribute('data-unfolded', '');
    }
  });
  for (const width of new Set([size.width, WIDE_PX])) {
    await page.setViewportSize({ ...size, width });
    for (const [colorScheme, rules] of width === size.width ? FIRST_LOOKS : WIDE_LOOKS) {
      await changeScheme(page, colorScheme);
      expect.soft(await violations(page, rules), `${station}, ${colorScheme}, ${width} px`).toEqual([]);
    }
  }
  await page.setViewportSize({ width: 320, height: 800 });
  for (const [fontSize, px] of Object.entries(await sidewaysPx(page)))
    expect.soft(px, `${station}, text of ${fontSize}`).toBeLessThanOrEqual(0);
  await page.setViewportSize(size);
  await settled(page);
}

/**
 * What axe finds in the page as it stands. A page gets axe once, because compiling it takes as long as a look.
 * Its wrapper for Playwright compiles it again with every look.
 */
export async function violations(page: Page, rules: keyof typeof RULES): Promise<object[]> {
  let looked = await look(page, rules);
  if (looked === null) {
    await bringAxe(page);
    looked = await look(page, rules);
  }
  const { passed, found } = looked ?? { passed: 0, found: [] };
  expect(passed, 'axe has looked').toBeGreaterThan(rules === 'all' ? 10 : 0);
  return found;
}

/** @returns null where the page has no axe yet. */
function look(
  page: Page,
  rules: keyof typeof RULES,
): Promise<{ readonly passed: number; readonly found: object[] } | null> {
  return page.evaluate(async (runOnly) => {
    if (!Reflect.has(window, 'axe')) return null;
    // Without the elements that pass, of which there are hundreds: naming each takes longer than looking at it.
    const options = { runOnly, resultTypes: ['violations'], selectors: false };
    const results = await Reflect.get(window, 'axe').run(options);
    const violated: { id: string; nodes: { html: string }[] }[] = results.violations;
    const found: object[] = violated.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
    return { passed: Number(results.passes.length), found };
  }, RULES[rules]);
}

async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(async (compressed) => {
    const bytes = Uint8Array.from(atob(compressed), (letter) => letter.charCodeAt(0));
    const script = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    Reflect.set(window, 'sourceOfAxe', await new Response(script).text());
  }, AXE);
  // In a call of its own, since a page may only evaluate what the test evaluates itself.
  await page.evaluate('(0, eval)(sourceOfAxe); delete window.sourceOfAxe');
}

/**
 * Changes the scheme at once, and waits for what moves otherwise. The page has no transitions from then on, since
 * those of less motion begin on every element, one level of the page with each frame. An animation that goes on
 * until something has come is not waited for.
 */
export async function changeScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(() => {
    const still = new CSSStyleSheet();
    still.replaceSync('*, ::before, ::after, ::backdrop { transition-property: none !important }');
    document.adoptedStyleSheets.push(still);
  });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.evaluate(async () => {
    const ending = () =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    for (let stillFrames = 0; stillFrames < 2; stillFrames += 1) {
      await new Promise(requestAnimationFrame);
      const left = ending();
      if (left.length > 0) stillFrames = 0;
      await Promise.allSettled(left.map(({ finished }) => finished));
    }
  });
}

/**
 * Waits until a new window size has reached the page: a click that is on its way meanwhile would miss what
 * moves.
 */
export function settled(page: Page): Promise<unknown> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/**
 * How far the page, or an open dialog, scrolls sideways with text of each size. What was unfolded is folded again.
 */
function sidewaysPx(page: Page): Promise<Record<string, number>> {
  return page.evaluate(async () => {
    const px: Record<string, number> = {};
    for (const fontSize of ['100%', '200%']) {
      document.documentElement.style.fontSize = fontSize;
      // Sizes in parts of the window follow a new window with the next frame.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const boxes = [document.documentElement, ...document.querySelectorAll('dialog[open]')];
      px[fontSize] = Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    }
    document.documentElement.removeAttribute('style');
    for (const details of document.querySelectorAll('details[data-unfolded]')) {
      details.removeAttribute('open');
      details.removeAttribute('data-unfolded');
    }
    return px;
  });
}
