/**
 * Takes pictures of a state, for whoever wants to look at it: on a phone and a desktop, in both schemes, into
 * the folder that the environment variable PICTURES names. Without one it does nothing.
 */
import type { Page } from '@playwright/test';
import { changeScheme, settled } from './for-everybody.ts';

export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  const size = page.viewportSize();
  if (folder === undefined || size === null) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await changeScheme(page, colorScheme);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ ...size, width });
      await settled(page);
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(size);
  await settled(page);
}
