/**
 * A real SMTP server that does what a test plans: takes a mail, refuses it, is slow, or hangs up at a step. It
 * counts a mail once it has said that it took it, or was about to.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Config } from '#server/config.ts';

const STEPS = ['connect', 'auth', 'sender', 'recipient', 'data', 'taken'] as const;
export type Step = (typeof STEPS)[number];

/** What happens at a step, once. `taken`: the mail counts, whatever follows. */
export type Plan =
  | { readonly at: Step; readonly is: 'refused'; readonly code: number; readonly words?: string }
  | { readonly at: Step; readonly is: 'hang-up' }
  | { readonly at: Step; readonly is: 'slow'; readonly ms: number }
  | { readonly at: Step; readonly is: 'held'; readonly until: Promise<unknown> };

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | null;
  /** What the client called itself (EHLO). */
  readonly client: string;
  /** Unfolded, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** @param listenAt a port; 0 for a free one. */
export async function startMailServer(
  options: Pick<SMTPServerOptions, 'secure' | 'hideSTARTTLS' | 'authOptional' | 'disabledCommands'> = {},
  listenAt = 0,
) {
  const taken: TakenMail[] = [];
  const plans: Plan[] = [];
  let connections = 0;

  async function follow(at: Step, connectionId: string): Promise<Error | null> {
    const index = plans.findIndex((plan) => plan.at === at);
    const [plan] = index < 0 ? [] : plans.splice(index, 1);
    switch (plan?.is) {
      case undefined:
        return null;
      case 'refused':
        return Object.assign(new Error(plan.words ?? 'as planned'), { responseCode: plan.code });
      case 'slow':
        await sleep(plan.ms);
        return null;
      case 'held':
        await plan.until;
        return null;
      case 'hang-up':
        socketOf(connectionId)?.destroy();
        return new Promise<never>(() => {});
    }
  }
  // The server's types leave the sockets out.
  const socketOf = (id: string) => {
    const open = [...server.connections].find((connection) => 'id' in connection && connection.id === id);
    return open && '_socket' in open ? (open._socket as Socket) : undefined;
  };
  const answer = (at: Step, id: string, callback: (error?: Error | null) => void) =>
    void follow(at, id).then(callback);

  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    ...options,
    onConnect(session, callback) {
      connections += 1;
      answer('connect', session.id, callback);
    },
    onAuth({ username, password }, session, callback) {
      void follow('auth', session.id).then((error) => {
        if (error) callback(error);
        else if (username === 'tipwell' && password === 'p@ss/word') callback(null, { user: username });
        else callback(new Error('wrong'));
      });
    },
    onMailFrom: (_address, session, callback) => answer('sender', session.id, callback),
    onRcptTo: (_address, session, callback) => answer('recipient', session.id, callback),
    onData(stream, session, callback) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        void follow('data', session.id).then(async (error) => {
          if (error) {
            callback(error);
            return;
          }
          const { mailFrom, rcptTo } = session.envelope;
          taken.push({
            ...parsed(Buffer.concat(pieces).toString('latin1')),
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isSecure: session.secure,
            client: session.hostNameAppearsAs,
            user: typeof session.user === 'string' ? session.user : null,
          });
          callback(await follow('taken', session.id));
        });
      });
    },
  });
  server.on('error', () => {});
  server.listen(listenAt, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return {
    port,
    taken,
    connections: () => connections,
    plan: (...next: readonly Plan[]) => void plans.push(...next),
    /** Forgets what was planned. */
    forget: () => void plans.splice(0),
    /** How often each Message-ID was taken. */
    times(): number[] {
      const counts = new Map<string, number>();
      for (const { headers } of taken) {
        const id = headers.get('message-id') ?? '';
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return [...counts.values()];
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The setting of a server of a test. */
export const relayAt = (
  { port }: { readonly port: number },
  changes: Partial<NonNullable<Config['mail']>> = {},
): NonNullable<Config['mail']> => ({
  host: '127.0.0.1',
  port,
  isSecure: false,
  auth: null,
  isOwnMachine: true,
  from: { name: 'Tipwell', address: 'tips@example.com' },
  ...changes,
});

/** The setting of an installation whose mails wait, because nobody sends them. */
export const UNSENT = relayAt({ port: 1 });

/** The link in a mail, with its token. */
export function linkIn({ text }: TakenMail): { readonly url: string; readonly token: string } {
  const url = /https?:\/\/\S+#[\w-]{43}/.exec(text)?.[0];
  if (url === undefined) throw new Error(`there is no link in: ${text}`);
  return { url, token: url.slice(url.indexOf('#') + 1) };
}

function parsed(raw: string) {
  const { headers, body } = partsOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const inner = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partsOf(part.replace(/^\r\n/, '')));
  const contentOf = (type: string) => {
    const part = inner.find(({ headers }) => headers.get('content-type')?.startsWith(type) === true);
    return part ? decoded(part.body, part.headers.get('content-transfer-encoding') ?? '7bit') : '';
  };
  return { headers, text: contentOf('text/plain'), html: contentOf('text/html'), raw };
}

function partsOf(raw: string) {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  if (headers.size !== lines.length) throw new Error('a header stands twice');
  return { headers, body: raw.slice(end + 4) };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable')
    return Buffer.from(body, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
