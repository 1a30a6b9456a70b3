/** Reads files of the operator's folder. */
import { readFile, stat } from 'node:fs/promises';
import { BrandRefused } from './brand-refused.ts';

/** @throws BrandRefused */
export async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((cause: Error) => {
    throw new BrandRefused(`BRAND_FOLDER ${folder} cannot be read: ${cause.message}`, { cause });
  });
  if (!found.isDirectory()) throw new BrandRefused(`BRAND_FOLDER ${folder} is not a folder`);
}

/** @returns null where there is no such file. @throws BrandRefused for one that cannot be read or is larger. */
export async function readBrandFile(path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    const file = await stat(path);
    // A pipe or device would block without end.
    if (!file.isFile()) throw new BrandRefused(`BRAND_FOLDER ${path} is not a file`);
    if (file.size > maxBytes)
      throw new BrandRefused(`BRAND_FOLDER ${path} is larger than ${maxBytes / 1_024} KB`);
    return await readFile(path);
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof BrandRefused) throw cause;
    if ('code' in cause && cause.code === 'ENOENT') return null;
    throw new BrandRefused(`BRAND_FOLDER ${path} cannot be read: ${cause.message}`, { cause });
  }
}
