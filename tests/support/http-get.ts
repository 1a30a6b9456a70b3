/**
 * A GET with the path exactly as written and the body exactly as sent: `fetch` would tidy up the one and
 * unpack the other.
 */
import { type IncomingHttpHeaders, request } from 'node:http';

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function get(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
  }: { readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
