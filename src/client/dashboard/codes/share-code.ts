/** Hands the address of a tip page on: by the sheet of the device where there is one, else by its clipboard. */

/** `refused` means that neither could be used, so that the address has to be copied by hand. */
export type Sharing = 'shared' | 'copied' | 'dismissed' | 'refused';

/** @param title what the sheet calls it. */
export async function shareAddress(url: string, title: string): Promise<Sharing> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share({ title, url });
      return 'shared';
    } catch (error) {
      // Web Share API, section 2.1.2: whoever closes the sheet aborts it.
      if (error instanceof DOMException && error.name === 'AbortError') return 'dismissed';
    }
  }
  try {
    // Browsers have no clipboard on pages that arrive without https.
    await navigator.clipboard.writeText(url);
    return 'copied';
  } catch {
    return 'refused';
  }
}
