/** The file stays available for this time; browsers begin to save it at once. */
const KEPT_MS = 60_000;

export function saveFile(bytes: Uint8Array<ArrayBuffer>, type: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Decodes base64 (RFC 4648, section 4). */
export function bytesFrom(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
