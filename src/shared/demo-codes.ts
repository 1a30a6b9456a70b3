/**
 * Codes that exist on the page only: what a demo code says by itself. Apart from scanned texts, so that the tip page
 * carries nothing else along.
 */
import { isServiceCategory, type ServiceCategory } from './categories.ts';
import { DEMO_PREFIX, isDemoCode, MAX_ID_LENGTH } from './ids.ts';
import { isPossibleUsername } from './usernames.ts';

export interface DemoCode {
  readonly userId: string;
  readonly category: ServiceCategory;
}

/**
 * Reads `demo-{userId}-{category}`, where case does not matter; null for any other code. The user's id, as it was typed,
 * is one that somebody could have as a username: nothing else may be written on a page of this site by its address.
 */
export function readDemoCode(id: string): DemoCode | null {
  if (id.length > MAX_ID_LENGTH || !isDemoCode(id)) return null;
  const rest = id.trim().slice(DEMO_PREFIX.length);
  const lastHyphen = rest.lastIndexOf('-');
  const userId = rest.slice(0, Math.max(lastHyphen, 0)).trim();
  const category = rest.slice(lastHyphen + 1).toLowerCase();
  return isPossibleUsername(userId) && isServiceCategory(category) ? { userId, category } : null;
}
