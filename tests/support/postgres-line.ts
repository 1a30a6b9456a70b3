/**
 * A line to a PostgreSQL server that loses a commit on its way there, or the answer to it on the way back.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The message of the protocol that commits: Q, its length, and the statement. */
const COMMIT = Buffer.concat([Buffer.from('Q'), Buffer.from([0, 0, 0, 11]), Buffer.from('COMMIT\0')]);
const COMMITTED = Buffer.from('COMMIT\0');

export interface PostgresLine {
  readonly url: string;
  /** Cuts the connection of the next commit: before the server has it, or once the server has answered it. */
  loseNextCommit(when: 'before' | 'after'): void;
  readonly lost: number;
  /** Breaks all connections, and refuses new ones until it is mended. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function createPostgresLine(databaseUrl: string): Promise<PostgresLine> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let losing: 'before' | 'after' | null = null;
  let lost = 0;

  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let isLosing = false;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    near.on('data', (chunk) => {
      const at = losing === null ? -1 : chunk.indexOf(COMMIT);
      if (at === -1) {
        far.write(chunk);
        return;
      }
      lost += 1;
      if (losing === 'before') far.write(chunk.subarray(0, at), end);
      else {
        isLosing = true;
        far.write(chunk);
      }
      losing = null;
    });
    far.on('data', (chunk) => {
      if (!isLosing) near.write(chunk);
      else if (chunk.includes(COMMITTED)) end();
    });
  });

  async function listen(on: number): Promise<number> {
    server.listen(on, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the line has no port');
    return address.port;
  }
  async function cut(): Promise<void> {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  }

  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${await listen(0)}`;
  onTestFinished(() => (server.listening ? cut() : undefined));
  return {
    url: url.href,
    loseNextCommit(when) {
      losing = when;
    },
    get lost() {
      return lost;
    },
    cut,
    async mend() {
      await listen(Number(url.port));
    },
  };
}
