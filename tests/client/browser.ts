/** What a browser has and Node.js has not, for the client's modules that need no page. */
import { vi } from 'vitest';

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

/** Gives the modules that are loaded from now on a window and a document that take and dispatch events. */
export function stubPage() {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', document);
  return { window, document };
}
