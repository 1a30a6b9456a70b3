/** Demo codes, which exist on the page only. */
import { isServiceCategory, type ServiceCategory } from '#shared/categories.ts';
import { DEMO_PREFIX, isDemoCode, MAX_ID_LENGTH } from '#shared/ids.ts';
import { mayStandForPerson } from '#shared/usernames.ts';

export interface DemoCode {
  readonly userId: string;
  readonly category: ServiceCategory;
}

/** Null unless the user id is like a person's username, so that an address cannot write anything else on a page. */
export function demoOf(userId: string, category: string): DemoCode | null {
  return mayStandForPerson(userId) && isServiceCategory(category) ? { userId, category } : null;
}

/** Reads `demo-{userId}-{category}` in any case; null for another code. The user id keeps its case. */
export function readDemoCode(id: string): DemoCode | null {
  if (id.length > MAX_ID_LENGTH || !isDemoCode(id)) return null;
  const rest = id.trim().slice(DEMO_PREFIX.length);
  const lastHyphen = rest.lastIndexOf('-');
  return demoOf(rest.slice(0, Math.max(lastHyphen, 0)).trim(), rest.slice(lastHyphen + 1).toLowerCase());
}
