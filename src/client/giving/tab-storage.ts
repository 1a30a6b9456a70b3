/** Values that survive a reload of this tab. */

/** Keeps the values where a browser forbids storage; a reload loses them. */
const memory = new Map<string, string>();

export function write(name: string, value: unknown): void {
  const text = JSON.stringify(value);
  memory.set(name, text);
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // The value is in `memory`. A full storage keeps the one before it, which is not to be read any more.
    removeStored(name);
  }
}

export function read(name: string): unknown {
  let text = memory.get(name) ?? null;
  try {
    text = sessionStorage.getItem(name) ?? text;
  } catch {
    // `text` is the value in `memory`.
  }
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

export function remove(name: string): void {
  memory.delete(name);
  removeStored(name);
}

function removeStored(name: string): void {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Without storage there is nothing else to remove.
  }
}
