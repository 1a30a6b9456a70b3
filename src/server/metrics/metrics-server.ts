/** Answers Prometheus on a port of its own, which no proxy leads to. */
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

const PATH = '/metrics';
/** More than the scrapers of one network. */
const MAX_CONNECTIONS = 16;
const PATIENCE_MS = 5_000;

/** @throws Error of Node.js when the address cannot be listened on. */
export async function serveMetrics(
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  { host, port, log }: { readonly host: string; readonly port: number; readonly log: Logger },
): Promise<Server> {
  /** Scrapers at the same time get the same answer. */
  let collecting: Promise<string> | null = null;
  const collect = () => {
    collecting ??= metrics.text().finally(() => {
      collecting = null;
    });
    return collecting;
  };

  const server = createServer(
    { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS, connectionsCheckingInterval: PATIENCE_MS },
    (request, response) => {
      // Whoever sends a body is not Prometheus.
      response.setHeader('Connection', 'close');
      if (request.url?.split('?')[0] !== PATH) return void response.writeHead(404).end();
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return void response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      collect().then(
        (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
        (err: unknown) => {
          log.warn({ err }, 'could not collect the metrics');
          response.writeHead(500).end();
        },
      );
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
