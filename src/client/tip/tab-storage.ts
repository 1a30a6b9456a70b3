/**
 * What must survive a reload, but only in this tab.
 */

/** Where storage is forbidden, the page's own memory does: a reload forgets, a double tap does not. */
const memory = new Map<string, string>();

export function write(name: string, value: unknown): void {
  const text = JSON.stringify(value);
  memory.set(name, text);
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // See memory.
  }
}

export function read(name: string): unknown {
  let text = memory.get(name) ?? null;
  try {
    text = sessionStorage.getItem(name) ?? text;
  } catch {
    // See memory.
  }
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

export function remove(name: string): void {
  memory.delete(name);
  try {
    sessionStorage.removeItem(name);
  } catch {
    // See memory.
  }
}
