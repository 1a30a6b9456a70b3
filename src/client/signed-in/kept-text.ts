/**
 * Puts a text in the place of the one before it on this device, null for none. Where there is no room for it, the one
 * before it goes all the same, because it is not so any more.
 */
export function keepText(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Where storage is forbidden, there is nothing to remove either.
    if (text !== null) keepText(key, null);
  }
}
