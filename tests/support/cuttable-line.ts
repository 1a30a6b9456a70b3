/**
 * A line to a server that can be cut and mended, as bad Wi-Fi does: open connections break, new ones are
 * refused.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttableLine {
  readonly url: string;
  readonly port: number;
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Event streams stay open and carry nothing any more, as after a phone's sleep; other connections work. */
  stall(): void;
  turn(port: number): void;
}

/** A line from a free port on loopback to `port`. */
export async function createCuttableLine(port: number): Promise<CuttableLine> {
  let target = port;
  const sockets = new Set<Socket>();
  const streaming = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        streaming.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
    far.on('data', (chunk) => chunk.includes('text/event-stream') && streaming.add(far));
  });
  async function listen(on: number): Promise<number> {
    server.listen(on, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the line has no port');
    return address.port;
  }
  const ownPort = await listen(0);
  return {
    url: `http://127.0.0.1:${ownPort}`,
    port: ownPort,
    async cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
    async mend() {
      await listen(ownPort);
    },
    stall() {
      for (const socket of streaming) socket.unpipe().pause();
    },
    turn(to) {
      target = to;
    },
  };
}
