/** Serves the photos of tip pages. Each photo has an address of its own, and never changes there. */
import type { Hono } from 'hono';
import type { QrCodes } from '#server/qr-codes/qr-codes.ts';
import { AppError } from '#shared/errors.ts';
import { PHOTO_PREFIX } from '#shared/page-paths.ts';
import { refuseOtherMethods } from './door.ts';

const PATH = `${PHOTO_PREFIX}:name`;

/** Only browsers may keep a photo (RFC 9111, section 5.2.2.7): a removed one does not live on in a shared cache. */
const CACHE_CONTROL = 'private, max-age=31536000, immutable';

export function servePhotos(app: Hono, qrCodes: QrCodes): void {
  app.get(PATH, async (c) => {
    const jpeg = await qrCodes.findPhoto(c.req.param('name'));
    if (!jpeg) throw new AppError('not_found');
    return c.body(Buffer.from(jpeg), 200, { 'Content-Type': 'image/jpeg', 'Cache-Control': CACHE_CONTROL });
  });
  refuseOtherMethods(app, PATH);
}
