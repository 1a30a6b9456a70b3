/** What a request to somebody else's address tries, and a server that answers it without end. */
import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';

const connect = Socket.prototype.connect;

/** Keeps every connection of the running test from being made. @returns which were tried. */
export function refuseConnections(): readonly unknown[] {
  const tried: unknown[] = [];
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args) {
    tried.push(args);
    setImmediate(() => this.destroy(Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' })));
    return this;
  });
  onTestFinished(() => spy.mockRestore());
  return tried;
}

/** @returns the sockets that connect during the running test. */
export function watchSockets(): readonly Socket[] {
  const opened: Socket[] = [];
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args) {
    opened.push(this);
    return Reflect.apply(connect, this, args);
  });
  onTestFinished(() => spy.mockRestore());
  return opened;
}

/** Begins an answer and goes on with a piece of it, as fast as it is read, until the connection ends. */
export async function startEndlessServer(begin: string, piece: string) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(begin);
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    /** Resolves once its last connection has ended. */
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
