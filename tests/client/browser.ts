/** What a browser has and Node.js has not, for the client's modules that need no page. */
import { TRPCClientError } from '@trpc/client';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { vi } from 'vitest';
import { trpcErrorOf } from '#server/api/http/refusals.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';

/** The browser's storage, in memory. */
class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();

  get length(): number {
    return this.#items.size;
  }

  clear(): void {
    this.#items.clear();
  }

  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }

  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }

  removeItem(name: string): void {
    this.#items.delete(name);
  }

  setItem(name: string, value: string): void {
    this.#items.set(name, value);
  }
}

/** A storage as browsers have it where somebody forbids it: whoever uses it gets an error. */
const FORBIDDEN = new Proxy(new MemoryStorage(), {
  get() {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  },
});

/** Gives the modules that are loaded from now on an empty storage, or one that is forbidden. */
export function stubStorage(kind: 'localStorage' | 'sessionStorage', isForbidden = false): Storage {
  const storage = isForbidden ? FORBIDDEN : new MemoryStorage();
  vi.stubGlobal(kind, storage);
  return storage;
}

/** From now on it takes nothing more. */
export function fill(storage: Storage): void {
  vi.spyOn(storage, 'setItem').mockImplementation(() => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
  });
}

/** Gives the modules that are loaded from now on a window and a document that take and dispatch events. */
export function stubPage() {
  const window = new EventTarget();
  const document = new EventTarget();
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', document);
  return { window, document };
}

/** The error that a call of the client's rejects with when the server refuses it. */
export function refusedWith(code: ErrorCode, options?: ConstructorParameters<typeof AppError>[1]): unknown {
  return TRPCClientError.from({ error: trpcErrorOf(new AppError(code, options), null, null) });
}

/** The toasts that wait to be drawn; where nothing draws them, all that were raised. */
export function toastsOf(page: typeof import('#client/toasts.ts')): readonly string[] {
  let texts: readonly string[] = [];
  renderToString(
    createElement(() => {
      texts = page.useWaitingToasts().map(({ text }) => text);
      return null;
    }),
  );
  return texts;
}

/** A refusal as the server answers a single call with it. */
export function trpcAnswerOf(refusal: AppError): Response {
  return Response.json([{ error: trpcErrorOf(refusal, null, null) }], { status: refusal.status });
}
