/**
 * Prints of a code: the sheets of the print kit and the bare code, drawn in a thread of their own, because fonts and layout would
 * stop everything else meanwhile. The thread is begun when the first print is asked for, and ended when nobody has asked for one for a
 * while: what it has loaded takes tens of megabytes.
 */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { brand } from '#shared/brand.ts';
import type { Clock } from '#shared/calendar.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { type QrCodeId, showQrCodeId, tipPageUrl, type UserId } from '#shared/ids.ts';
import { isOwnMachine } from '#shared/own-machine.ts';
import type { Printed, PrintFile, PrintRequest } from '#shared/print.ts';

/** What of a tip page is printed. */
export interface PrintablePage {
  /** Whose print it is. */
  readonly owner: UserId;
  readonly id: QrCodeId;
  readonly serviceCategory: ServiceCategory;
  /** Who receives the tips, as givers see it. */
  readonly name: string;
  readonly greeting: string | null;
  /** A square, in JPEG. */
  readonly photo: Uint8Array | null;
}

export interface Printer {
  /**
   * @throws AppError `public_url_is_local` while nobody else could open the code; `busy` when too many prints, or too many of this owner's, are waited for, or when
   *   the thread has died or has taken too long; `shutting_down` after `end`.
   */
  print(page: PrintablePage, request: Omit<PrintRequest, 'id'>): Promise<Printed>;
  /** Ends the thread, and refuses what is still waiting. */
  end(): Promise<void>;
}

/** What the thread is asked to draw. */
export interface DrawingOrder extends Omit<PrintRequest, 'id'> {
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

/** What the thread answers to an order. */
export type Drawing = { readonly bytes: Uint8Array } | { readonly failure: unknown };

/** Beside this file in the sources, and beside main.js in the build. */
const ENTRY = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);
/** The sheets take some hundred milliseconds each. */
const MAX_WAITING = 50;
/** A provider downloads one sheet after the other; whoever asks for more at once leaves places for the others. */
const MAX_WAITING_OF_ONE = 6;
const PATIENCE_MS = 20_000;
const IDLE_MS = 60_000;
/** A sheet that needs more than this is lost, and the server is not. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 };

interface Waiting {
  readonly owner: UserId;
  readonly order: DrawingOrder;
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * @param deps.onTrouble hears why a thread was lost.
 * @param deps.entry the program of the thread.
 */
export function createPrinter(deps: {
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly onTrouble: (error: Error) => void;
  readonly entry?: string | URL;
  readonly patienceMs?: number;
  readonly idleMs?: number;
}): Printer {
  const { publicUrl, clock, onTrouble, entry = ENTRY } = deps;
  const { patienceMs = PATIENCE_MS, idleMs = IDLE_MS } = deps;
  const isLocal = isOwnMachine(publicUrl);

  const queue: Waiting[] = [];
  let thread: DrawingThread | null = null;
  let idling: ReturnType<typeof setTimeout> | undefined;
  let isDrawing = false;
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
      tooLong = setTimeout(() => reject(new ThreadLost('a print took too long')), patienceMs);
    });
    try {
      return await Promise.race([thread.draw(order), overdue]);
    } finally {
      clearTimeout(tooLong);
    }
  }

  async function drawNext(waiting: Waiting): Promise<void> {
    try {
      waiting.resolve(await drawWithin(waiting.order));
    } catch (error) {
      if (!(error instanceof ThreadLost)) return waiting.reject(new Error('not drawn', { cause: error }));
      if (!isEnded) onTrouble(error);
      waiting.reject(new AppError(isEnded ? 'shutting_down' : 'busy', { cause: error }));
      await endThread();
    }
  }

  /** Draws whatever is waiting, one print after the other. */
  async function drawAll(): Promise<void> {
    if (isDrawing) return;
    isDrawing = true;
    clearTimeout(idling);
    for (let next = queue.shift(); next; next = queue.shift()) await drawNext(next);
    isDrawing = false;
    if (thread) idling = setTimeout(() => void endThread(), idleMs).unref();
  }

  function draw(owner: UserId, order: DrawingOrder): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (isEnded) throw new AppError('shutting_down');
      const own = queue.filter((waiting) => waiting.owner === owner);
      if (queue.length >= MAX_WAITING || own.length >= MAX_WAITING_OF_ONE) throw new AppError('busy');
      queue.push({ owner, order, resolve, reject });
      void drawAll();
    });
  }

  return {
    async print({ owner, id, serviceCategory, name, greeting, photo }, { file, paper, ink, size }) {
      if (isLocal) throw new AppError('public_url_is_local');
      const codeId = showQrCodeId(id);
      const bytes = await draw(owner, {
        file,
        paper,
        ink,
        size,
        name,
        greeting,
        photo,
        service: CATEGORY_LABELS[serviceCategory],
        codeId,
        address: tipPageUrl(publicUrl, id),
        madeAtMs: clock(),
      });
      return {
        fileName: `${brand.linkScheme}-${codeId}-${file}`,
        type: typeOf(file),
        base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
      };
    },

    async end() {
      isEnded = true;
      for (const { reject } of queue.splice(0)) reject(new AppError('shutting_down'));
      await endThread();
    },
  };
}

function typeOf(file: PrintFile): Printed['type'] {
  if (file === 'code.svg') return 'image/svg+xml';
  return file === 'code.png' ? 'image/png' : 'application/pdf';
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
  const worker = new Worker(entry, { name: 'print', resourceLimits: THREAD_LIMITS });
  let isAlive = true;
  let settle: ((drawing: Drawing) => void) | null = null;
  const answer = (drawing: Drawing) => {
    settle?.(drawing);
    settle = null;
  };
  const die = (cause: unknown) => {
    isAlive = false;
    answer({ failure: new ThreadLost('the thread that prints has died', { cause }) });
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
      const drawn = new Promise<Drawing>((resolve) => {
        settle = resolve;
      });
      worker.postMessage(order);
      const drawing = await drawn;
      if ('failure' in drawing) throw drawing.failure;
      return drawing.bytes;
    },
    async end() {
      await worker.terminate();
    },
  };
}
