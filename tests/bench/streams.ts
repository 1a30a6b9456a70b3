/**
 * How long a tip takes to its receiver's open dashboard: the production build on loopback, 1,000 streams of
 * 50 accounts through both doors, and tips at an even rate. Times are from sending a tip to its arrival at
 * each stream of its receiver, with the delays of this load generator in them. Run by `npm run
 * bench:streams`; takes some two minutes and stops by itself.
 */
import { execFileSync } from 'node:child_process';
import { type IncomingMessage, request } from 'node:http';
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';

const RECEIVERS = 50;
const STREAMS_PER_RECEIVER = 20;
const GIVERS = 10;
const TIPS = 2_000;
const TIPS_PER_SECOND = 50;
const TARGET_P95_MS = 100;
const LAST_ARRIVALS_MS = 5_000;
const LONGEST_RUN_MS = 300_000;
const PASSWORD = 'correct horse battery';
const STREAM_PATHS = ['/api/transactions/stream', '/trpc/transactions.onTip'] as const;

interface Person {
  readonly token: string;
  readonly code: string;
}

async function post<Body>(server: RunningServer, path: string, body: unknown, token?: string): Promise<Body> {
  const answer = await fetch(`${server.url}/api${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Body;
}

async function enter(server: RunningServer, username: string): Promise<Person> {
  const credentials = { email: `${username}@example.com`, password: PASSWORD };
  await post(server, '/auth/register', {
    ...credentials,
    username,
    full_name: username,
    phone: null,
    is_service_provider: true,
    service_categories: ['dj'],
  });
  const { access_token: token } = await post<{ access_token: string }>(server, '/auth/login', credentials);
  const { id: code } = await post<{ id: string }>(server, '/qr-codes', { service_category: 'dj' }, token);
  return { token, code };
}

/** Tips by their amount in cents, which is unique. */
interface Flight {
  sentAt: number;
  arrivals: number;
}

/**
 * @returns when the stream has greeted; from then on `arrived` is called with the amount in cents of each
 *   tip.
 */
function openStream(
  server: RunningServer,
  path: string,
  token: string,
  arrived: (amountCents: number) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const sent = request(`${server.url}${path}`, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`a stream was answered ${answer.statusCode}`));
      let unread = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${unread}${text}`.split('\n');
        unread = lines.pop() ?? '';
        for (const line of lines) {
          if (line.includes('connected')) resolve(answer);
          const cents = /"amountCents":(\d+)/.exec(line)?.[1];
          const dollars = /"amount":([\d.]+)/.exec(line)?.[1];
          if (cents !== undefined) arrived(Number(cents));
          else if (dollars !== undefined) arrived(Math.round(Number(dollars) * 100));
        }
      });
      answer.on('error', () => {});
    });
    sent.on('error', reject);
    sent.end();
  });
}

function residentMegabytes({ process: { pid } }: RunningServer): number {
  return Math.round(
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024,
  );
}

function describeTimes(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)} ms`;
}

function p95Of(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function measure(): Promise<boolean> {
  const server = await startServer({ RATE_LIMIT: 'off' });
  say(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(2)} before; Node ${process.version}`);
  say(`memory of the server: ${residentMegabytes(server)} MB when it has started`);

  const enterAll = (names: readonly string[]) => Promise.all(names.map((name) => enter(server, name)));
  const receivers = await enterAll(Array.from({ length: RECEIVERS }, (_, index) => `receiver-${index}`));
  const givers = await enterAll(Array.from({ length: GIVERS }, (_, index) => `giver-${index}`));
  say(`memory: ${residentMegabytes(server)} MB with ${RECEIVERS + GIVERS} accounts`);

  const flights = new Map<number, Flight>();
  const times: number[] = [];
  let strays = 0;
  const arrived = (amountCents: number) => {
    const flight = flights.get(amountCents);
    if (!flight) {
      strays += 1;
      return;
    }
    flight.arrivals += 1;
    times.push(performance.now() - flight.sentAt);
  };
  const streams: IncomingMessage[] = [];
  for (const { token } of receivers) {
    const ofReceiver = Array.from({ length: STREAMS_PER_RECEIVER }, (_, index) =>
      openStream(server, STREAM_PATHS[index % 2] ?? STREAM_PATHS[0], token, arrived),
    );
    streams.push(...(await Promise.all(ofReceiver)));
  }
  await sleep(2_000);
  say(`memory: ${residentMegabytes(server)} MB with ${streams.length} open streams, idle`);

  const answers: number[] = [];
  const sending: Promise<void>[] = [];
  const ownDelay = monitorEventLoopDelay({ resolution: 5 });
  ownDelay.enable();
  const startedAt = performance.now();
  for (let index = 0; index < TIPS; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1_000) / TIPS_PER_SECOND - performance.now()));
    const amountCents = 1_000 + index;
    const sentAt = performance.now();
    flights.set(amountCents, { sentAt, arrivals: 0 });
    const tip = {
      receiver_qr_id: receivers[index % RECEIVERS]?.code,
      amount: amountCents / 100,
      service_category: 'dj',
    };
    sending.push(
      post(server, '/transactions', tip, givers[index % GIVERS]?.token).then(() => {
        answers.push(performance.now() - sentAt);
      }),
    );
  }
  await Promise.all(sending);
  const expected = TIPS * STREAMS_PER_RECEIVER;
  const deadline = performance.now() + LAST_ARRIVALS_MS;
  while (times.length < expected && performance.now() < deadline) await sleep(20);
  ownDelay.disable();
  const seconds = (performance.now() - startedAt) / 1_000;

  const lost = [...flights.values()].filter(({ arrivals }) => arrivals < STREAMS_PER_RECEIVER).length;
  const doubled = [...flights.values()].filter(({ arrivals }) => arrivals > STREAMS_PER_RECEIVER).length;
  const isInTime = p95Of(times) <= TARGET_P95_MS;
  say(`memory: ${residentMegabytes(server)} MB after ${TIPS} tips and ${times.length} events`);
  say(
    `${TIPS} tips in ${seconds.toFixed(1)} s, each to ${STREAMS_PER_RECEIVER} of ${streams.length} streams`,
  );
  say(`tip sent -> answered:  ${describeTimes(answers)}`);
  say(`tip sent -> arrived:   ${describeTimes(times)}  (target: p95 <= ${TARGET_P95_MS} ms)`);
  say(`delay of this generator's own event loop: p99 ${(ownDelay.percentile(99) / 1e6).toFixed(1)} ms`);
  say(`tips lost somewhere: ${lost}, doubled: ${doubled}, to the wrong stream: ${strays}`);
  say(`load ${loadavg()[0]?.toFixed(2)} after`);
  for (const stream of streams) stream.destroy();
  const { code } = await server.stop();
  say(isInTime ? 'The target is met.' : 'The target is missed.');
  return isInTime && lost === 0 && doubled === 0 && strays === 0 && code === 0;
}

const tooLong = setTimeout(() => {
  say(`not done after ${LONGEST_RUN_MS / 1_000} s`);
  process.exitCode = 1;
  void stopEverything().then(() => process.exit());
}, LONGEST_RUN_MS);
try {
  if (!(await measure())) process.exitCode = 1;
} finally {
  clearTimeout(tooLong);
  await stopEverything();
}
