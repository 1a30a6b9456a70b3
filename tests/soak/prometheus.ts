/**
 * Prometheus and Alertmanager of the machine, with the rules of deploy/, and a receiver that keeps what it is
 * told. The times of the rules are shortened, so that nobody waits half an hour for an alert.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { freePort, temporaryFolder } from '#tests/support/running-server.ts';
import { requireTools } from '#tests/support/system-tools.ts';

const RULES = join(import.meta.dirname, '../../deploy/prometheus-rules.yml');
/** The ledger is checked once a minute, so the 15 minutes of its rule cannot become less. */
export const TIMES_SHORTER = 10;
/** Half of the time within which a scrape must be answered; the server itself gives up on its database before. */
const SCRAPE_SECONDS = 3;
const PAUSE_MS = 250;

const webhook = z.object({
  alerts: z.array(
    z.object({
      status: z.enum(['firing', 'resolved']),
      labels: z.object({ alertname: z.string(), instance: z.string() }),
      annotations: z.object({ summary: z.string() }),
    }),
  ),
});

type Status = 'firing' | 'resolved';

export interface Alerting {
  /** Waits until the receiver was told of it. @throws Error after `patienceMs`. */
  waitFor(alert: string, instance: string, status: Status, patienceMs: number): Promise<void>;
  /** All alerts that ever fired, as `alert at instance`. */
  fired(): ReadonlySet<string>;
  stop(): Promise<void>;
}

/** @param targets the addresses that are scraped. @throws Error where a program is missing or does not start. */
export async function startAlerting(targets: readonly string[]): Promise<Alerting> {
  requireTools(
    ['prometheus', 'prometheus-alertmanager'],
    ['prometheus', 'prometheus-alertmanager'],
    'This needs Prometheus and Alertmanager (Debian: prometheus, prometheus-alertmanager).',
  );
  const folder = temporaryFolder();
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const receiver = await startReceiver();
  const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()];
  const alertmanager = launch('prometheus-alertmanager', [
    `--config.file=${write('alertmanager.yml', alertmanagerSettings(receiver.url))}`,
    `--storage.path=${join(folder, 'alertmanager')}`,
    `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
    '--cluster.listen-address=',
  ]);
  write('rules.yml', shortened(readFileSync(RULES, 'utf8')));
  const prometheus = launch('prometheus', [
    `--config.file=${write('prometheus.yml', prometheusSettings(targets, alertmanagerPort))}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=127.0.0.1:${prometheusPort}`,
    '--rules.alert.resend-delay=5s',
  ]);
  const stop = async () => {
    await Promise.all([prometheus.stop(), alertmanager.stop(), receiver.stop()]);
  };
  try {
    for (const [name, { said }, port] of [
      ['Prometheus', prometheus, prometheusPort],
      ['Alertmanager', alertmanager, alertmanagerPort],
    ] as const)
      await untilReady(`http://127.0.0.1:${port}/-/ready`, () => `${name} does not start: ${said()}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async waitFor(alert, instance, status, patienceMs) {
      const endsAt = performance.now() + patienceMs;
      while (receiver.statusOf(alert, instance) !== status) {
        if (performance.now() > endsAt)
          throw new Error(`${alert} is not ${status} at ${instance} after ${patienceMs / 1_000} s`);
        await sleep(PAUSE_MS);
      }
    },
    fired: receiver.fired,
    stop,
  };
}

/** Every time that somebody would wait for is a tenth of what it is; an old backup is really that old. */
function shortened(rules: string): string {
  let count = 0;
  const shorter = (seconds: number) => {
    count += 1;
    return seconds / TIMES_SHORTER;
  };
  const text = rules
    .replace(
      /(for: |\[)(\d+)m/g,
      (_, before: string, minutes: string) => `${before}${shorter(60 * +minutes)}s`,
    )
    .replace(/> (900|3600)\b/g, (_, seconds: string) => `> ${shorter(+seconds)}`);
  assert(count >= 10, `only ${count} times of the rules were found`);
  return text;
}

const prometheusSettings = (targets: readonly string[], alertmanagerPort: number) => `
global: { scrape_interval: ${SCRAPE_SECONDS}s, scrape_timeout: ${SCRAPE_SECONDS}s, evaluation_interval: 1s }
alerting: { alertmanagers: [{ static_configs: [{ targets: ["127.0.0.1:${alertmanagerPort}"] }] }] }
rule_files: [rules.yml]
scrape_configs:
  - job_name: tipwell
    static_configs: [{ targets: ${JSON.stringify(targets)} }]
`;

const alertmanagerSettings = (url: string) => `
route: { receiver: test, group_by: ["..."], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers: [{ name: test, webhook_configs: [{ url: "${url}", send_resolved: true }] }]
`;

async function startReceiver() {
  const statuses = new Map<string, Status>();
  const fired = new Set<string>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      for (const { status, labels, annotations } of webhook.parse(
        JSON.parse(Buffer.concat(pieces).toString()),
      ).alerts) {
        assert(!annotations.summary.includes('no value'), annotations.summary);
        statuses.set(`${labels.alertname} at ${labels.instance}`, status);
        if (status === 'firing') fired.add(`${labels.alertname} at ${labels.instance}`);
      }
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    statusOf: (alert: string, instance: string) => statuses.get(`${alert} at ${instance}`),
    fired: (): ReadonlySet<string> => fired,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function launch(program: string, words: readonly string[]) {
  const child: ChildProcess = spawn(program, [...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-5_000);
  });
  process.once('exit', () => void child.kill());
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      text += error.message;
      resolve();
    });
    child.once('close', () => resolve());
  });
  return {
    said: () => text,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function untilReady(url: string, reason: () => string): Promise<void> {
  const endsAt = performance.now() + 60_000;
  for (;;) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (performance.now() > endsAt) throw new Error(reason());
    await sleep(PAUSE_MS);
  }
}
