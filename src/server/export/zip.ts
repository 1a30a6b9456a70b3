/** Streams a ZIP archive: no file is ever whole in memory, and files are read no faster than the archive. */
import { Readable } from 'node:stream';

const MAX_PIECE_BYTES = 64 * 1024;

/** Unix mode: everybody may read the file, and its owner may change it. */
const FILE_MODE = 0o100644;

export interface PackedFile {
  /** Its path in the archive, in ASCII. */
  readonly path: string;
  readonly content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  /** Stored as it is, because compressing makes a picture no smaller. */
  readonly isCompressed?: true;
}

/** Yields non-empty pieces of at most `MAX_PIECE_BYTES`. Ending the iteration ends the files as well. */
export async function* zip(
  files: AsyncGenerator<PackedFile, void>,
  modifiedAtMs: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const { ZipFile } = await import('yazl');
  const archive = new ZipFile();
  const outputStream = requireReadable(archive.outputStream);
  const fail = (error: unknown) => void outputStream.destroy(asError(error));
  const demand = createDemand();
  let present: Readable | undefined;

  async function addNext(): Promise<void> {
    const { done, value } = await files.next();
    if (outputStream.destroyed) return;
    if (done) {
      archive.end();
      return;
    }
    const { path, content, isCompressed = false } = value;
    present = Readable.from(inBytes(content, demand), { highWaterMark: 1 });
    present.once('error', fail).once('end', () => void addNext().catch(fail));
    archive.addReadStream(present, path, {
      mtime: new Date(modifiedAtMs),
      mode: FILE_MODE,
      compress: !isCompressed,
    });
  }

  archive.once('error', fail);
  try {
    await addNext();
    for await (const bytes of outputStream) {
      demand.pause();
      yield* piecesOf(Buffer.from(bytes));
      demand.resume();
    }
  } finally {
    demand.end();
    outputStream.destroy();
    present?.destroy();
    await files.return();
  }
}

interface Demand {
  pause(): void;
  resume(): void;
  end(): void;
  wait(): Promise<boolean>;
}

/** Text compresses so well that the streams in between would read a great deal of it ahead of the archive's reader. */
function createDemand(): Demand {
  let state: 'waiting' | 'paused' | 'over' = 'waiting';
  let wake = () => {};
  const become = (next: typeof state) => {
    state = next;
    if (next !== 'paused') wake();
  };
  return {
    pause: () => become('paused'),
    resume: () => become('waiting'),
    end: () => become('over'),
    async wait() {
      while (state === 'paused') {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return state !== 'over';
    },
  };
}

async function* inBytes(content: PackedFile['content'], demand: Demand): AsyncGenerator<Buffer, void> {
  for await (const part of content) {
    yield Buffer.from(part);
    if (!(await demand.wait())) return;
  }
}

function* piecesOf(bytes: Buffer<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>, void> {
  for (let from = 0; from < bytes.length; from += MAX_PIECE_BYTES)
    yield bytes.subarray(from, from + MAX_PIECE_BYTES);
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('a file could not be read', { cause: thrown });
}

/** The types of yazl declare less of its stream than it is. */
function requireReadable(stream: NodeJS.ReadableStream): Readable {
  if (!(stream instanceof Readable)) throw new Error('an archive cannot be read');
  return stream;
}
