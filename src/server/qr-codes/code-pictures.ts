/** The pictures of QR codes: each is drawn once for each code and address, and stored. */
import type { WorkOwner } from '#server/queue/work-queue.ts';
import type { NewPicture, NewQrCode } from '#server/storage/port/codes.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { newQrCodeId, type QrCodeId, type RandomBytes, tipPageUrl } from '#shared/ids.ts';

/** Pixels, enough for a print as wide as a palm. */
const PICTURE_SIZE = 720;

export type DrawPicture = (
  owner: WorkOwner,
  order: { readonly file: 'picture.png'; readonly address: string; readonly minSize: number },
) => Promise<Uint8Array>;

export interface CodePictures {
  /** Draws the picture that a new code would have. Nothing is stored. @throws AppError `busy`. */
  drawNew(owner: WorkOwner): Promise<{ readonly next: NewQrCode; readonly picture: NewPicture }>;
  /** Draws and stores a missing picture of a code from another PUBLIC_URL. @throws AppError `busy`. */
  drawMissing(id: QrCodeId, owner: WorkOwner): Promise<Uint8Array>;
}

export function createCodePictures(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  readonly draw: DrawPicture;
}): CodePictures {
  const { storage, clock, random, publicUrl, draw } = deps;
  const missing = new Map<QrCodeId, Promise<Uint8Array>>();

  const drawPicture = (owner: WorkOwner, address: string) =>
    draw(owner, { file: 'picture.png', address, minSize: PICTURE_SIZE });

  async function drawMissing(id: QrCodeId, owner: WorkOwner): Promise<Uint8Array> {
    const present = missing.get(id);
    // The first caller may have hung up, which gives up only their own turn.
    if (present) return present.catch(() => drawMissing(id, owner));
    const address = tipPageUrl(publicUrl, id);
    const save = async () => {
      // Another list or process may have drawn it since this one was read.
      const made = await storage.findPicture(id, address);
      if (made) return made;
      const png = await drawPicture(owner, address);
      await storage.savePicture(id, address, png);
      return png;
    };
    const saved = save().finally(() => missing.delete(id));
    missing.set(id, saved);
    return saved;
  }

  return {
    drawMissing,

    async drawNew(owner) {
      const id = newQrCodeId(random);
      const address = tipPageUrl(publicUrl, id);
      const png = await drawPicture(owner, address);
      return { next: { id, createdAtMs: clock() }, picture: { address, png } };
    },
  };
}
