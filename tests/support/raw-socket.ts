/**
 * HTTP byte by byte, for requests that no well-behaved client sends: half of one, a strange line, a path that
 * a client would tidy up first.
 */
import { connect, type Socket } from 'node:net';

export interface RawSocket {
  readonly socket: Socket;
  /** All that came back once the other side has closed the connection, however it did. */
  readonly whole: Promise<string>;
}

/**
 * Connects and sends `text`; the connection stays open on this side.
 * @param from the address that it comes from.
 */
export function sendRaw(port: number, text: string, from = '127.0.0.1'): RawSocket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const whole = new Promise<string>((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    // A connection that is cut off in the middle of a request is closed as well.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
  socket.write(text, 'latin1');
  return { socket, whole };
}

/** `path` and headers are sent exactly as they are. */
export async function requestRaw(
  port: number,
  path: string,
  { method = 'GET', headers = [] }: { readonly method?: string; readonly headers?: readonly string[] } = {},
): Promise<{ readonly status: number; readonly head: string; readonly body: string }> {
  const lines = [`${method} ${path} HTTP/1.1`, 'Connection: close', ...headers];
  if (!headers.some((header) => /^host:/i.test(header))) lines.push(`Host: 127.0.0.1:${port}`);
  const answer = await sendRaw(port, `${lines.join('\r\n')}\r\n\r\n`).whole;
  const [head = '', ...body] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') };
}
