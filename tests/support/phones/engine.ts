/**
 * What a browser engine does for a test. WebKit and Firefox each do it by the protocol that their programs of
 * Debian speak.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 50;
const START_PATIENCE_MS = 60_000;

export interface Engine {
  /** Begins to load a page, and waits for nothing of it. */
  goTo(url: string): Promise<void>;
  /**
   * @param expression JavaScript whose value is a text.
   * @throws Error when it throws, and while one page gives way to the next.
   */
  evaluate(expression: string): Promise<string>;
  /** Moves, presses and releases, as the chapter "Actions" of the WebDriver standard writes them. */
  perform(sources: readonly InputSource[]): Promise<void>;
  /** Makes what is seen of a page this large, in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  /** Writes what is seen of the page into a PNG. */
  savePicture(path: string): Promise<void>;
  /** Prints the page into a PDF on paper of this size, in centimetres; null where nothing can be printed. */
  readonly print: ((width: number, height: number) => Promise<Uint8Array>) | null;
  close(): Promise<void>;
}

export interface InputSource {
  readonly type: 'pointer' | 'key';
  readonly id: string;
  readonly parameters?: { readonly pointerType: 'mouse' };
  readonly actions: readonly object[];
}

/** A browser that may be installed. */
export interface EngineProgram {
  readonly name: string;
  /** The packages of Debian that bring it. */
  readonly packages: string;
  readonly isInstalled: boolean;
  /** @param folder where it may write. */
  start(folder: string): Promise<Engine>;
}

/** @param path of a program. */
export function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Waits until a look finds something. @param look answers null while there is nothing yet.
 * @throws Error, which names what was waited for.
 */
export async function waitFor<Found>(
  what: string,
  look: () => Found | null | Promise<Found | null>,
  patienceMs = START_PATIENCE_MS,
): Promise<Found> {
  const endsAtMs = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > endsAtMs) throw new Error(`waited in vain for ${what}`);
    await sleep(LOOK_MS);
  }
}

/** Ends a program, and waits until it has ended. */
export async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill();
  await ended;
}
