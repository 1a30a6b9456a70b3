/** Reads the operator's file of blocked words at start. */
import { readFile, stat } from 'node:fs/promises';
import { type BlockedWords, NO_BLOCKED_WORDS, parseBlockedWords, UnusableLine } from './blocked-words.ts';

const MAX_BYTES = 1_048_576;

export class BlockedWordsRefused extends Error {
  override name = 'BlockedWordsRefused';
}

/** @param path null for a list that matches nothing. @throws BlockedWordsRefused when file or lines cannot be used. */
export async function readBlockedWords(path: string | null): Promise<BlockedWords> {
  if (path === null) return NO_BLOCKED_WORDS;
  const refuse = (reason: string, cause?: unknown) =>
    new BlockedWordsRefused(`BLOCKED_WORDS_FILE ${path} ${reason}`, { cause });

  let bytes: Buffer;
  try {
    const file = await stat(path);
    // A pipe or device would block without end.
    if (!file.isFile()) throw refuse('is not a file');
    if (file.size > MAX_BYTES) throw refuse(`is larger than ${MAX_BYTES / 1_024} KB`);
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof BlockedWordsRefused || !(error instanceof Error)) throw error;
    throw refuse(`cannot be read: ${error.message}`, error);
  }

  const text = decode(bytes);
  if (text === null) throw refuse('is not UTF-8 text');
  try {
    return parseBlockedWords(text);
  } catch (error) {
    if (!(error instanceof UnusableLine)) throw error;
    throw refuse(`cannot be used: ${error.message}`, error);
  }
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
