import type { QrCode } from '#shared/qr-codes.ts';
import { bytesFrom, saveFile } from '../../signed-in/save-file.ts';

export function pictureUrl({ imageBase64 }: QrCode): string {
  return `data:image/png;base64,${imageBase64}`;
}

/** Saves the picture as `{category}-{username}.png`. */
export function downloadPicture({ imageBase64, serviceCategory }: QrCode, username: string): void {
  saveFile(bytesFrom(imageBase64), 'image/png', `${serviceCategory}-${username}.png`);
}
