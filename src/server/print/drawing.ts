/**
 * The thread that draws codes and sheets, because fonts and layout would block the event loop. It starts with the first
 * drawing and ends when idle, because it holds tens of megabytes.
 */
import { extname, join } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { AppError } from '#shared/errors.ts';
import type { PrintFormat, PrintRequest } from '#shared/print.ts';
import { createWorkQueue, WORK_LIMITS, type WorkOwner } from '../queue/work-queue.ts';

/** The bare code in pixels: exactly `size` wide, or at least `minSize` for screens. */
export type CodeOrder =
  | { readonly file: 'picture.png'; readonly address: string; readonly minSize: number }
  | { readonly file: 'code.svg'; readonly address: string }
  | { readonly file: 'code.png'; readonly address: string; readonly size: number };

export interface SheetOrder extends Pick<PrintRequest, 'paper' | 'ink' | 'for'> {
  readonly file: `${PrintFormat}.pdf`;
  readonly name: string;
  readonly service: string;
  readonly greeting: string | null;
  readonly photo: Uint8Array | null;
  /** As displayed: `XXXXX-XXXXX`. */
  readonly codeId: string;
  readonly address: string;
  readonly madeAtMs: number;
  readonly own?: SheetBrand;
}

export interface SheetBrand {
  readonly siteName: string;
  /** The colour of blocks and rings, for dark letters: # with six hexadecimal digits. */
  readonly fill: string | null;
  /** A square, in JPEG. */
  readonly logo: Uint8Array | null;
}

export type DrawingOrder = CodeOrder | SheetOrder;

export type Drawn = { readonly bytes: Uint8Array } | { readonly failure: unknown };

export interface Drawing {
  /** @throws AppError `busy`, also when the thread has died or takes too long; `shutting_down` after `end`. */
  draw(owner: WorkOwner, order: DrawingOrder): Promise<Uint8Array>;
  end(): Promise<void>;
}

/** Beside this file in the sources, and beside main.js in the build. */
const ENTRY = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);
const PATIENCE_MS = 8_000;
const IDLE_MS = 60_000;
/** Beyond these limits a sheet fails, and the server goes on. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

export function createDrawing(deps: {
  readonly onTrouble: (error: Error) => void;
  readonly entry?: string | URL;
  readonly patienceMs?: number;
  readonly idleMs?: number;
  readonly limits?: ResourceLimits;
}): Drawing {
  const {
    onTrouble,
    entry = ENTRY,
    patienceMs = PATIENCE_MS,
    idleMs = IDLE_MS,
    limits = THREAD_LIMITS,
  } = deps;
  const queue = createWorkQueue(WORK_LIMITS.drawing);
  let thread: DrawingThread | null = null;
  let idling: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;

  async function endThread(): Promise<void> {
    clearTimeout(idling);
    const ended = thread;
    thread = null;
    await ended?.end();
  }

  async function drawWithin(order: DrawingOrder): Promise<Uint8Array> {
    if (!thread?.isAlive()) thread = startThread(entry, limits);
    let tooLong: ReturnType<typeof setTimeout> | undefined;
    const overdue = new Promise<never>((_, reject) => {
      tooLong = setTimeout(() => reject(new ThreadLost('a drawing took too long')), patienceMs);
    });
    try {
      return await Promise.race([thread.draw(order), overdue]);
    } finally {
      clearTimeout(tooLong);
    }
  }

  async function drawNow(order: DrawingOrder): Promise<Uint8Array> {
    if (isEnded) throw new AppError('shutting_down');
    clearTimeout(idling);
    try {
      return await drawWithin(order);
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw new Error('not drawn', { cause: error });
      if (!isEnded) onTrouble(error);
      await endThread();
      throw new AppError(isEnded ? 'shutting_down' : 'busy', { cause: error });
    } finally {
      clearTimeout(idling);
      if (thread) idling = setTimeout(() => void endThread(), idleMs).unref();
    }
  }

  return {
    async draw(owner, order) {
      if (isEnded) throw new AppError('shutting_down');
      return queue.take(owner, () => drawNow(order));
    },

    async end() {
      isEnded = true;
      await endThread();
    },
  };
}

class ThreadLost extends Error {}

interface DrawingThread {
  isAlive(): boolean;
  /** Call it again only when it has settled. @throws ThreadLost; errors of the drawing. */
  draw(order: DrawingOrder): Promise<Uint8Array>;
  end(): Promise<void>;
}

function startThread(entry: string | URL, resourceLimits: ResourceLimits): DrawingThread {
  const worker = new Worker(entry, { name: 'drawing', resourceLimits });
  let isAlive = true;
  let settle: ((drawn: Drawn) => void) | null = null;
  const answer = (drawn: Drawn) => {
    settle?.(drawn);
    settle = null;
  };
  const die = (cause: unknown) => {
    isAlive = false;
    answer({ failure: new ThreadLost('the thread that draws has died', { cause }) });
  };
  worker
    .on('message', answer)
    .on('error', die)
    .on('exit', (code) => die(`exit code ${code}`))
    // The timer does not keep a stopping server alive.
    .unref();

  return {
    isAlive: () => isAlive,
    async draw(order) {
      const answered = new Promise<Drawn>((resolve) => {
        settle = resolve;
      });
      worker.postMessage(order);
      const drawn = await answered;
      if ('failure' in drawn) throw drawn.failure;
      return drawn.bytes;
    },
    async end() {
      await worker.terminate();
    },
  };
}
