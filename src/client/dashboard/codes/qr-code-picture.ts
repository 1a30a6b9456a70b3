import type { QrCode } from '#shared/qr-codes.ts';

/** How long the file stays available; browsers begin to save it at once. */
const KEPT_MS = 60_000;

export function pictureUrl({ imageBase64 }: QrCode): string {
  return `data:image/png;base64,${imageBase64}`;
}

/** Saves the picture as `{category}-{username}.png`. */
export function downloadPicture({ imageBase64, serviceCategory }: QrCode, username: string): void {
  const bytes = Uint8Array.from(atob(imageBase64), (character) => character.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${serviceCategory}-${username}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
