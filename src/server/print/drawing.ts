/**
 * The thread that draws codes and sheets, because fonts and layout would stop everything else meanwhile, and its turns. It is begun with
 * the first drawing, and ended when nobody has asked for one for a while: what it has loaded takes tens of megabytes.
 */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '#shared/errors.ts';
import type { PrintFormat, PrintRequest } from '#shared/print.ts';
import { createWorkQueue, WORK_LIMITS, type WorkOwner } from '../queue/work-queue.ts';

/** The bare code of an address, in pixels: exactly `size` wide; or as a picture that screens show, of at least `minSize`. */
export type CodeOrder =
  | { readonly file: 'picture.png'; readonly address: string; readonly minSize: number }
  | { readonly file: 'code.svg'; readonly address: string }
  | { readonly file: 'code.png'; readonly address: string; readonly size: number };

export interface SheetOrder extends Pick<PrintRequest, 'paper' | 'ink'> {
  readonly file: `${PrintFormat}.pdf`;
  readonly name: string;
  readonly service: string;
  readonly greeting: string | null;
  readonly photo: Uint8Array | null;
  /** As it is shown: `XXXXX-XXXXX`. */
  readonly codeId: string;
  /** The tip page, which the code carries. */
  readonly address: string;
  readonly madeAtMs: number;
}

export type DrawingOrder = CodeOrder | SheetOrder;

/** What the thread answers to an order. */
export type Drawn = { readonly bytes: Uint8Array } | { readonly failure: unknown };

export interface Drawing {
  /**
   * @throws AppError `busy` when too many drawings are waited for, or when the thread has died or has taken too long; `shutting_down`
   *   after `end`.
   */
  draw(owner: WorkOwner, order: DrawingOrder): Promise<Uint8Array>;
  /** Ends the thread, and refuses what is still waiting. */
  end(): Promise<void>;
}

/** Beside this file in the sources, and beside main.js in the build. */
const ENTRY = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);
/** In milliseconds, for a drawing that has begun. */
const PATIENCE_MS = 8_000;
const IDLE_MS = 60_000;
/** A sheet that needs more than this is lost, and the server is not. What is short-lived of a drawing fits a small young generation. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/**
 * @param deps.onTrouble hears why a thread was lost.
 * @param deps.entry the program of the thread.
 */
export function createDrawing(deps: {
  readonly onTrouble: (error: Error) => void;
  readonly entry?: string | URL;
  readonly patienceMs?: number;
  readonly idleMs?: number;
}): Drawing {
  const { onTrouble, entry = ENTRY, patienceMs = PATIENCE_MS, idleMs = IDLE_MS } = deps;
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
    if (!thread?.isAlive()) thread = startThread(entry);
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

/** The thread is gone, or of no use any more. */
class ThreadLost extends Error {}

interface DrawingThread {
  isAlive(): boolean;
  /** To be called again only when it has settled. @throws ThreadLost; what the drawing threw. */
  draw(order: DrawingOrder): Promise<Uint8Array>;
  end(): Promise<void>;
}

function startThread(entry: string | URL): DrawingThread {
  const worker = new Worker(entry, { name: 'drawing', resourceLimits: THREAD_LIMITS });
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
    // A server that is stopping does not wait for it.
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
