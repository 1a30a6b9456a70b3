/**
 * Codes that exist on the page only: what a demo code says by itself. Apart from scanned texts, so that the tip page
 * carries nothing else along.
 */
import { isServiceCategory, type ServiceCategory } from './categories.ts';
import { DEMO_PREFIX, isDemoCode } from './ids.ts';

export interface DemoCode {
  readonly userId: string;
  readonly category: ServiceCategory;
}

/** Reads `demo-{userId}-{category}`, where case does not matter but in the user's id; null for any other code. */
export function readDemoCode(id: string): DemoCode | null {
  if (!isDemoCode(id)) return null;
  const rest = id.trim().slice(DEMO_PREFIX.length);
  const lastHyphen = rest.lastIndexOf('-');
  const userId = rest.slice(0, Math.max(lastHyphen, 0)).trim();
  const category = rest.slice(lastHyphen + 1).toLowerCase();
  return userId !== '' && isServiceCategory(category) ? { userId, category } : null;
}
