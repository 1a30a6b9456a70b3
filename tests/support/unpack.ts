/** Unpacks archives by another program than the one that packed them. */
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

export type Files = ReadonlyMap<string, Buffer>;

/**
 * The files of an archive, by their paths; fails when one is there twice, or is not what its checksum says.
 */
export async function unpack(archive: Buffer): Promise<Files> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  const files = new Map<string, Buffer>();
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject).on('end', resolve);
    zip.on('entry', (entry: Entry) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error);
        buffer(stream).then((content) => {
          expect(files.has(entry.fileName), entry.fileName).toBe(false);
          expect(content.length, entry.fileName).toBe(entry.uncompressedSize);
          files.set(entry.fileName, content);
          zip.readEntry();
        }, reject);
      });
    });
    zip.readEntry();
  });
  return files;
}
