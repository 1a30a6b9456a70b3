/**
 * Codes that exist on the page only: what a demo code says by itself. The tip page loads this module, and nothing else
 * of scanned texts.
 */
import { isServiceCategory, type ServiceCategory } from './categories.ts';
import { DEMO_PREFIX, isDemoCode, MAX_ID_LENGTH } from './ids.ts';
import { isPossibleUsername } from './usernames.ts';

export interface DemoCode {
  readonly userId: string;
  readonly category: ServiceCategory;
}

/**
 * The demo of this user and category, as an address names them. The user's id is one that somebody could have as a
 * username: nothing else may be written on a page of this site by its address.
 */
export function demoOf(userId: string, category: string): DemoCode | null {
  return isPossibleUsername(userId) && isServiceCategory(category) ? { userId, category } : null;
}

/**
 * Reads `demo-{userId}-{category}`, where case does not matter; null for any other code. The user's id stays as it was
 * typed.
 */
export function readDemoCode(id: string): DemoCode | null {
  if (id.length > MAX_ID_LENGTH || !isDemoCode(id)) return null;
  const rest = id.trim().slice(DEMO_PREFIX.length);
  const lastHyphen = rest.lastIndexOf('-');
  return demoOf(rest.slice(0, Math.max(lastHyphen, 0)).trim(), rest.slice(lastHyphen + 1).toLowerCase());
}
