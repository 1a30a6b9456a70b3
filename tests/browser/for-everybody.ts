/**
 * What every state of a screen owes to everybody: no finding of axe in either scheme, and no sideways scroll.
 */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * The rules whose outcome depends on colours and widths; all others read markup that is the same in every
 * look.
 */
const RULES_OF_LOOKS = ['color-contrast', 'target-size'];

/**
 * Looks at the page as it stands, as wide as it is and on a desktop, in both schemes, and on a narrow phone
 * with text of twice the size.
 *
 * @param station names the state in failures.
 */
export async function expectForEverybody(page: Page, station: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 390, height: 844 };
  // What is folded is looked at as well, and Chromium may draw no frame for what moves in it.
  await page.locator('details:not([open])').evaluateAll((folded) => {
    for (const details of folded) {
      details.setAttribute('open', '');
      details.setAttribute('data-unfolded', '');
    }
  });
  let rules: 'all' | 'of looks' = 'all';
  for (const width of new Set([size.width, 1280])) {
    await page.setViewportSize({ ...size, width });
    for (const colorScheme of ['light', 'dark'] as const) {
      await changeScheme(page, colorScheme);
      expect.soft(await violations(page, rules), `${station}, ${colorScheme}, ${width} px`).toEqual([]);
      rules = 'of looks';
    }
  }
  await page.setViewportSize({ width: 320, height: 800 });
  for (const fontSize of ['100%', '200%']) {
    await page.evaluate((text) => {
      document.documentElement.style.fontSize = text;
    }, fontSize);
    expect.soft(await sidewaysPx(page), `${station}, text of ${fontSize}`).toBeLessThanOrEqual(0);
  }
  await page.evaluate(() => document.documentElement.removeAttribute('style'));
  await page.locator('details[data-unfolded]').evaluateAll((unfolded) => {
    for (const details of unfolded) {
      details.removeAttribute('open');
      details.removeAttribute('data-unfolded');
    }
  });
  await page.setViewportSize(size);
  await settled(page);
}

export async function violations(page: Page, rules: 'all' | 'of looks'): Promise<object[]> {
  // Without the elements that pass, of which there are hundreds: naming each takes longer than looking at it.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const found = await (rules === 'all' ? axe.withTags(TAGS) : axe.withRules(RULES_OF_LOOKS)).analyze();
  expect(found.passes.length, 'axe has looked').toBeGreaterThan(rules === 'all' ? 10 : 0);
  return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}

/**
 * Changes the scheme, and waits for its colours: even the shortest transition shows the former ones for a
 * frame. An animation that goes on until something has come is not waited for.
 */
export async function changeScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    return Promise.allSettled(ending.map(({ finished }) => finished));
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

/** How far the page, or an open dialog, scrolls sideways. */
function sidewaysPx(page: Page): Promise<number> {
  return page.evaluate(async () => {
    // Sizes in parts of the window follow a new window with the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const boxes = [document.documentElement, ...document.querySelectorAll('dialog[open]')];
    return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  });
}
