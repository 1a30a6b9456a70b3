/**
 * What a worker keeps for its later tests: servers and stand-ins, each made when a test first needs it. They are
 * no fixtures of the worker, because Playwright begins a worker and a browser anew for tests whose fixtures of the
 * worker differ; with each server that took four seconds of a core.
 */
import { databaseAt } from '#server/storage/open.ts';
import { type Environment, freePort, type RunningServer, startServer } from '../support/running-server.ts';

/** How many servers a worker keeps; another takes the place of the one that was not asked for the longest. */
const MAX_SERVERS = 4;

const endings: (() => Promise<void>)[] = [];

/** Ends all that is kept; for the end of a worker. */
export async function endKept(): Promise<void> {
  for (const end of endings) await end();
}

/**
 * Makes a thing once for all that ask with the same key, and ends it with the worker.
 * @param most ends what was not asked for the longest where there would be more.
 */
export function keeping<Key, Thing>(
  make: (key: Key) => Promise<Thing>,
  end: (thing: Thing) => Promise<unknown>,
  most = Number.POSITIVE_INFINITY,
): (key: Key) => Promise<Thing> {
  const kept = new Map<string, Promise<Thing>>();
  const endOldest = async () => {
    for (const [name, thing] of [...kept].slice(0, 1)) {
      kept.delete(name);
      await end(await thing);
    }
  };
  endings.push(async () => {
    while (kept.size > 0) await endOldest();
  });
  return async (key) => {
    const name = JSON.stringify(key);
    const present = kept.get(name);
    if (present !== undefined) {
      kept.delete(name);
      kept.set(name, present);
      return present;
    }
    if (kept.size >= most) await endOldest();
    const thing = make(key);
    kept.set(name, thing);
    thing.catch(() => kept.delete(name));
    return thing;
  };
}

/** A server with these settings, which other tests of the worker use, too. */
export const sharedServer: (settings: Environment) => Promise<RunningServer> = keeping(
  startServer,
  (server) => server.stop('SIGKILL'),
  MAX_SERVERS,
);

/** The same at a name instead of an address in numbers: a passkey belongs to one. */
export const namedServer: (settings: Environment) => Promise<RunningServer> = keeping(
  async (settings) => {
    const port = String(await freePort());
    const url = `http://localhost:${port}`;
    return { ...(await startServer({ PORT: port, PUBLIC_URL: url, ...settings })), url };
  },
  (server) => server.stop('SIGKILL'),
);

/**
 * The database of a server, opened as an operator's command opens it. Once for all tests, since each opening
 * prepares every statement, which takes as long as several people are put into it.
 */
export const storageAt = keeping(
  (path: string) => databaseAt({ engine: 'sqlite', path }).openForCommand(),
  (storage) => storage.close(),
  MAX_SERVERS,
);
