/** A code's picture, as the page shows it and as a file to keep. */
import type { QrCode } from '#shared/qr-codes.ts';

/** Long after any browser has begun to save. */
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
