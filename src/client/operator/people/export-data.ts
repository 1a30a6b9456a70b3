import type { ExportPiece, ExportStart } from '#shared/account-export.ts';
import { bytesFrom, saveFile } from '../../signed-in/save-file.ts';

/** Saves an archive once all of its pieces have come. @throws the refusal that ends it. */
export async function saveExport(pieces: AsyncIterable<ExportStart | ExportPiece>): Promise<void> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let name = '';
  for await (const piece of pieces) {
    if ('fileName' in piece) name = piece.fileName;
    else parts.push(bytesFrom(piece.base64));
  }
  saveFile(new Uint8Array(await new Blob(parts).arrayBuffer()), 'application/zip', name);
}
