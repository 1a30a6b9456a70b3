/**
 * Is loaded before a server's program, and writes to standard error whatever the process connects to, and
 * whether it loads the package of the payment service.
 */
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';

const connect = Socket.prototype.connect;
Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  process.stderr.write(`connects: ${JSON.stringify(args)}\n`);
  return Reflect.apply(connect, this, args);
};

registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('/node_modules/stripe/')) process.stderr.write(`loads: ${url}\n`);
    return nextLoad(url, context);
  },
});
