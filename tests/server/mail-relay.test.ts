/**
 * Handing mails to a real SMTP server that is slow, refuses, or hangs up at each step: each mail arrives once,
 * nothing is lost within two days, and nothing that stands in a mail becomes a header or another recipient.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { pino } from 'pino';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { htmlOf, type Letter, textOf } from '#server/mail/letter.ts';
import { receiptLetter } from '#server/mail/letters.ts';
import { createOutbox, type WriteLetter } from '#server/mail/outbox.ts';
import { createSmtpRelay, type RelaySettings } from '#server/mail/smtp-relay.ts';
import { newMailId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { runHere } from '#tests/support/commands.ts';
import { type Plan, relayAt, type Step, startMailServer } from '#tests/support/mail-server.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS: readonly Step[] = ['connect', 'sender', 'recipient', 'data'];

const FORGOTTEN = 'mails were forgotten that nobody sent in two days';
const LETTER: Letter = { subject: 'Hello', lines: ['A line.'] };

type ServerOptions = Parameters<typeof startMailServer>[0];

async function openRelay(
  options: ServerOptions = {},
  settings: Partial<RelaySettings> = {},
  patience?: Parameters<typeof createSmtpRelay>[1],
) {
  const server = await startMailServer(options);
  const relay = createSmtpRelay({ ...relayAt(server), ...settings }, patience);
  onTestFinished(async () => {
    relay.close();
    await server.close();
  });
  const send = (changes: Partial<Parameters<typeof relay.send>[0]> = {}) =>
    relay.send({
      messageId: '<mail_1@example.com>',
      recipient: 'pat@example.org',
      atMs: 0,
      subject: LETTER.subject,
      text: textOf(LETTER),
      html: htmlOf(LETTER),
      unsubscribeUrl: null,
      ...changes,
    });
  return { server, send, domain: relay.domain };
}

/** An outbox with mails that wait, a clock that is moved, and a server that does as planned. */
async function openOutbox(
  count = 1,
  write: WriteLetter = async ({ recipient }) => ({ recipient, letter: LETTER }),
) {
  const server = await startMailServer();
  const t = await createTestApp();
  const outbox = createOutbox({
    storage: t.storage,
    clock: () => t.clock.nowMs,
    random: randomBytes,
    log: pino({ level: 'trace' }, { write: (line: string) => void t.logLines.push(line) }),
    relay: createSmtpRelay(relayAt(server)),
    write,
  });
  onTestFinished(async () => {
    await outbox.close();
    await server.close();
  });
  for (let index = 0; index < count; index += 1)
    await t.storage.mails.add(
      {
        id: newMailId(randomBytes),
        userId: null,
        kind: 'receipt',
        recipient: `guest${index}@example.com`,
        content: '{}',
        createdAtMs: t.clock.nowMs,
      },
      count,
    );
  const waiting = async () => ((await t.data.dump())['mails'] ?? []).length;
  /** Passes, minute by minute, until nothing waits any more. @returns the minutes. */
  async function drain(maxMs = 50 * HOUR_MS): Promise<number> {
    const fromMs = t.clock.nowMs;
    for (; t.clock.nowMs <= fromMs + maxMs; t.clock.nowMs += MINUTE_MS) {
      await outbox.pass();
      if ((await waiting()) === 0) break;
    }
    return (t.clock.nowMs - fromMs) / MINUTE_MS;
  }
  return { server, t, outbox, waiting, drain };
}

test('an outage of the storage is told once until a look succeeds', async () => {
  const { t, outbox } = await openOutbox(0);
  const told = () => t.logLines.filter((line) => line.includes('could not look for mails to send')).length;
  const passes = async (count: number) => {
    for (let pass = 0; pass < count; pass += 1) await outbox.pass();
  };
  await t.data.setFault('away');
  await passes(3);
  expect(told()).toBe(1);
  await t.data.setFault(null);
  await passes(1);
  await t.data.setFault('away');
  await passes(3);
  expect(told()).toBe(2);
  await t.data.setFault(null);
});

describe('a mail arrives once', () => {
  const troubles: Plan[] = STEPS.flatMap((at): Plan[] => [
    { at, is: 'hang-up' },
    { at, is: 'refused', code: 451 },
    { at, is: 'slow', ms: 50 },
  ]);

  test('whatever happens at each step, one after the other', async () => {
    const { server, waiting, drain, t } = await openOutbox(3);
    server.plan(...troubles);
    await drain();
    expect(await waiting()).toBe(0);
    expect(server.times()).toEqual([1, 1, 1]);
    expect(new Set(server.taken.flatMap(({ to }) => to)).size).toBe(3);
    expect(t.logLines.join('')).not.toContain('guest');
  });

  test('soon after a server that was away for two hours, which is asked every five minutes, for all mails', async () => {
    const { server, drain, waiting, t } = await openOutbox(9);
    const away: Plan[] = Array.from({ length: 200 }, () => ({ at: 'connect', is: 'refused', code: 421 }));
    server.plan(...away);
    await drain(2 * HOUR_MS);
    const tries = server.connections();
    expect(tries).toBeGreaterThan(20);
    expect(tries).toBeLessThan(36);
    expect(await waiting()).toBe(9);
    const { mails } = await t.storage.readOutboxes(t.clock.nowMs);
    expect(mails.failing).toBeGreaterThan(0);
    expect(mails.oldestAtMs).toBe(START_MS);
    server.forget();
    expect(await drain()).toBeLessThan(10);
    expect(server.times()).toEqual(Array(9).fill(1));
    expect(t.logLines.join('')).not.toContain('guest');
  });

  test('and is given up after two days of ever longer pauses, not before', async () => {
    const { server, drain, waiting, t } = await openOutbox();
    const full: Plan[] = Array.from({ length: 200 }, () => ({ at: 'recipient', is: 'refused', code: 452 }));
    server.plan(...full);
    // One full mailbox is no trouble of the operator's.
    await drain(HOUR_MS / 2);
    const { mails } = await t.storage.readOutboxes(t.clock.nowMs);
    expect(mails).toEqual({ waiting: 1, failing: 0, oldestAtMs: null });
    await drain(START_MS + 48 * HOUR_MS - 1 - t.clock.nowMs);
    expect(await waiting()).toBe(1);
    expect(t.logLines.some((line) => line.includes('"tries":3'))).toBe(true);
    expect(t.logLines.filter((line) => line.includes('did not get through')).length).toBeLessThan(20);
    // However long the last pause would have been.
    expect(await drain(10 * HOUR_MS)).toBe(0);
    expect(server.taken).toEqual([]);
    expect(t.logLines.some((line) => line.includes('a mail was refused'))).toBe(true);
  });

  test('and is given up unsent where nobody sent mails for longer', async () => {
    const { server, outbox, waiting, t } = await openOutbox();
    t.clock.nowMs += 60 * HOUR_MS;
    await outbox.pass();
    expect([await waiting(), server.taken]).toEqual([0, []]);
    expect(t.logLines.filter((line) => line.includes(FORGOTTEN))).toHaveLength(1);
  });

  test('and is forgotten by the next sweep after two days where no mail is sent any more', async () => {
    const { waiting, t } = await openOutbox();
    t.clock.nowMs += 48 * HOUR_MS - 1;
    await t.app.sweep();
    expect(await waiting()).toBe(1);
    expect(t.logLines.join()).not.toContain(FORGOTTEN);
    t.clock.nowMs += 1;
    await t.app.sweep();
    expect(await waiting()).toBe(0);
    expect(t.logLines.join()).toContain(`"mails":1,"msg":"${FORGOTTEN}"`);
  });

  test('and is given up as well where it cannot be written, while the others are sent', async () => {
    const { server, drain, waiting, t } = await openOutbox(2, async ({ recipient }) => {
      if (recipient === 'guest0@example.com')
        throw new RangeError('Invalid time zone specified: Mars/Olympus');
      return { recipient, letter: LETTER };
    });
    await drain(48 * HOUR_MS - 1);
    expect(server.taken.map(({ to }) => to)).toEqual([['guest1@example.com']]);
    expect(await waiting()).toBe(1);
    expect(t.logLines.filter((line) => line.includes('could not send')).length).toBeLessThan(20);
    expect(await drain(10 * HOUR_MS)).toBe(0);
  });

  test('or a few times, where the server takes it each time and hangs up before it says so', async () => {
    const { server, drain } = await openOutbox();
    const mute: Plan[] = Array.from({ length: 100 }, () => ({ at: 'taken', is: 'hang-up' }));
    server.plan(...mute);
    await drain(6 * HOUR_MS);
    const [copies = 0] = server.times();
    expect(copies).toBeGreaterThan(3);
    expect(copies).toBeLessThan(9);
  });

  test('from another process, when the one that hands it over ends meanwhile', async () => {
    const { server, t, outbox } = await openOutbox();
    server.plan({ at: 'data', is: 'held', until: new Promise(() => {}) });
    void outbox.pass();
    await expect.poll(() => server.connections()).toBe(1);
    await outbox.close();
    const due = { nowMs: t.clock.nowMs, leaseMs: HOUR_MS, maxWaitMs: 8 * HOUR_MS, atMost: 1 };
    expect(await t.storage.mails.claimDue(due)).toHaveLength(1);
    expect(server.taken).toEqual([]);
  });

  test('also where its row cannot be removed at first', async () => {
    const { server, waiting, drain, t, outbox } = await openOutbox();
    let release = () => {};
    server.plan({ at: 'taken', is: 'held', until: new Promise<void>((resolve) => (release = resolve)) });
    const passing = outbox.pass();
    await expect.poll(() => server.taken.length).toBe(1);
    await t.data.setReadOnly(true);
    release();
    await passing;
    await t.data.setReadOnly(false);
    expect(await waiting()).toBe(1);
    await drain();
    expect(await waiting()).toBe(0);
    expect(server.times()).toEqual([1]);
  });
});

describe('a mail server', () => {
  test('that refuses an address or a mail for good is not asked again', async () => {
    for (const at of ['recipient', 'data'] as const) {
      const { server, send } = await openRelay();
      server.plan({ at, is: 'refused', code: 550, words: '5.1.1 not here\u0007' });
      expect(await send()).toMatchObject({
        outcome: 'refused',
        reply: expect.stringMatching(/^550 5.1.1 not here/),
      });
    }
  });

  test('that refuses the sender or the password, or is not there, is asked again', async () => {
    const auth = { user: 'tipwell', password: 'wrong' };
    const sender = await openRelay();
    sender.server.plan({ at: 'sender', is: 'refused', code: 553 });
    const login = await openRelay({}, { auth });
    const nowhere = await openRelay({}, { port: 1 });
    for (const { send } of [sender, login, nowhere]) expect((await send()).outcome).toBe('unreachable');
    expect(await nowhere.send()).toMatchObject({ reason: 'ESOCKET ECONNREFUSED CONN' });
    // Postfix says so where it is told of the recipient.
    for (const words of [
      '5.7.1 Relay access denied',
      '5.7.1 not owned by user tipwell',
      '5.1.8 bad sender',
    ]) {
      sender.server.plan({ at: 'recipient', is: 'refused', code: 554, words });
      expect((await sender.send()).outcome).toBe('later');
    }
  });

  test('that has come to the end of what it takes in a day, or is in trouble, is asked again', async () => {
    const { server, send } = await openRelay();
    for (const at of ['recipient', 'data'] as const)
      for (const words of [
        '5.4.5 Daily user sending limit exceeded',
        '5.3.2 System not accepting mail',
        '5.5.1 Out of order',
      ]) {
        server.plan({ at, is: 'refused', code: 550, words });
        expect((await send()).outcome).toBe('later');
      }
    // These are about the mailbox and the mail.
    for (const words of [
      '5.1.1 No such user',
      '5.2.1 Mailbox disabled',
      '5.3.4 Message too big',
      '5.4.1 Recipient address rejected: Access denied',
      '5.4.6 Routing loop detected',
      '5.5.0 Requested action not taken: mailbox unavailable',
      '5.6.0 Not understood',
      'No',
    ]) {
      server.plan({ at: 'data', is: 'refused', code: 550, words });
      expect((await send()).outcome).toBe('refused');
    }
  });

  test('that refuses what an operator tries gets the advice that fits its answer', async () => {
    const { server } = await openRelay();
    const settings = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'tips@example.com' };
    const advice = async (at: Step, words: string) => {
      server.plan({ at, is: 'refused', code: 550, words });
      const { code, stdout } = await runHere('mail', settings, ['test', 'pat@example.org']);
      expect(code).toBe(1);
      return stdout.trim().split('\n').at(-1);
    };
    for (const at of ['recipient', 'data'] as const)
      for (const words of ['5.4.5 Daily limit exceeded', '5.3.2 Not accepting mail', '5.5.1 Out of order'])
        expect(await advice(at, words)).toBe(
          'It takes no more mail for now, or is in trouble: wait, or ask who runs it.',
        );
    expect(await advice('sender', '5.4.5 Daily limit exceeded')).toMatch(/^It takes no more mail for now/);
    for (const [at, words] of [
      ['recipient', '5.7.1 Relay access denied'],
      ['sender', '5.5.1 Authentication required'],
    ] as const)
      expect(await advice(at, words)).toMatch(/^It does not let you send: look at MAIL_FROM/);
  });

  test('is spoken to by TLS from the first byte, or by STARTTLS where it offers that, with a password', async () => {
    const auth = { user: 'tipwell', password: 'p@ss/word' };
    for (const [options, settings, isSecure] of [
      [{ secure: true }, { isSecure: true, auth }, true],
      [{}, { auth }, true],
      [{ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }, {}, false],
    ] as const) {
      const { server, send } = await openRelay(
        { ...options, disabledCommands: [...(options.disabledCommands ?? [])] },
        settings,
      );
      expect((await send()).outcome).toBe('sent');
      expect(server.taken[0]).toMatchObject({ isSecure, user: 'auth' in settings ? 'tipwell' : null });
    }
  });

  test('is told a name that has a domain, of the machine or else of the sender', async () => {
    const { server, send } = await openRelay();
    await send();
    expect(server.taken[0]?.client).toBe(hostname().includes('.') ? hostname() : 'example.com');
  });

  test('may end a connection after any mail, and gets the next one by another connection', async () => {
    const { server, send } = await openRelay();
    expect((await send()).outcome).toBe('sent');
    server.plan({ at: 'sender', is: 'hang-up' });
    expect((await send({ messageId: '<mail_2@example.com>' })).outcome).toBe('sent');
    server.plan({ at: 'sender', is: 'refused', code: 421 });
    expect(await send({ messageId: '<mail_3@example.com>' })).toMatchObject({ outcome: 'sent' });
    expect(server.times()).toEqual([1, 1, 1]);
    expect(server.connections()).toBe(3);
  });

  test('may look into a mail for longer than handing it over may take', async () => {
    const { server, send } = await openRelay({}, {}, { sendingMs: 3_000, judgingMs: 60_000 });
    server.plan({ at: 'taken', is: 'slow', ms: 4_000 });
    expect((await send()).outcome).toBe('sent');
  });

  test('that is silent while a mail is handed over, or when it has all of it, is waited for no longer', async () => {
    const never = new Promise(() => {});
    for (const [at, outcome, sendingMs] of [
      ['recipient', 'unreachable', 500],
      // On a busy machine the mail is on its way for longer than half a second.
      ['taken', 'unanswered', 3_000],
    ] as const) {
      const { server, send } = await openRelay({}, {}, { sendingMs, judgingMs: 500 });
      server.plan({ at, is: 'held', until: never });
      expect((await send()).outcome).toBe(outcome);
    }
  });

  test('elsewhere gets no password in the clear, and none under a certificate of somebody else', async () => {
    const auth = { user: 'tipwell', password: 'p@ss/word' };
    for (const options of [{ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }, {}]) {
      const { server, send } = await openRelay(options, { auth, isOwnMachine: false });
      expect(await send()).toMatchObject({ outcome: 'unreachable' });
      expect(server.taken).toEqual([]);
    }
  });
});

describe('nothing in a mail becomes a header or another recipient', () => {
  const INJECTIONS = [
    '\r\nBcc: eve@evil.com',
    '\nBcc: eve@evil.com',
    '\r\n\r\n<script>',
    '\u2028Bcc: eve@evil.com',
    '" <eve@evil.com>, "',
  ];

  test.each(INJECTIONS)('in a subject, a name or an address: %j', async (evil) => {
    const { server, send } = await openRelay(
      {},
      { from: { name: `Tipwell${evil}`, address: 'tips@example.com' } },
    );
    const letter = receiptLetter({
      receiverName: `Pat${evil}`,
      serviceCategory: 'bartender',
      amountCents: cents(2_000),
      feeCents: cents(100),
      at: `today${evil}`,
      id: 'txn_1',
      mode: 'simulated',
      state: 'kept',
      chargedAt: null,
      leftCents: cents(2_100),
      unreturnedCents: cents(0),
      url: 'https://tips.example.com/r/1',
    });
    await send({
      subject: `${letter.subject}${evil}`,
      text: textOf(letter),
      html: htmlOf(letter),
      unsubscribeUrl: `https://tips.example.com/${evil}`,
    });
    const refused = await send({ recipient: `pat${evil}@example.org` });
    for (const { headers, to } of server.taken) {
      expect([...headers.keys()].sort()).toEqual(
        expect.arrayContaining(['from', 'to', 'subject', 'message-id', 'date']),
      );
      expect(headers.has('bcc')).toBe(false);
      expect(headers.get('to')).not.toMatch(/[^"]eve@evil\.com>?$/);
      expect(to).toHaveLength(1);
      expect(to.join()).not.toMatch(/^eve@/);
    }
    expect(server.taken.length).toBeGreaterThan(0);
    expect(refused.outcome).not.toBe('later');
    expect(htmlOf(letter)).not.toContain('<script>');
  });

  test('an operator’s colour and logo come with a letter, whose reader asks no server for them', async () => {
    const { server, send } = await openRelay();
    const logo = await sharp({ create: { width: 96, height: 96, channels: 4, background: '#1d6f5c' } })
      .png()
      .toBuffer();
    const head = { links: [], accent: '#d3a340', logo };
    await send({ html: htmlOf(LETTER, head), logo });
    await send();
    const [branded = '', plain = ''] = server.taken.map(({ raw }) => raw);
    expect(branded).toContain('border-top: 6px solid #d3a340');
    expect(branded).toMatch(/<img src=3D"cid:logo" alt=3D"" width=3D"48"/);
    expect(branded).toMatch(/Content-ID: <logo>/);
    expect(branded.replace(/\s/g, '')).toContain(logo.toString('base64'));
    expect(htmlOf(LETTER, head)).not.toMatch(/src="(?!cid:)|url\(/);
    expect(plain).not.toMatch(/Content-ID|<img|border-top/);
  });

  test.each([
    ['quotes and a comma', '"pat\\"doe,eve"@example.org', '"pat\\"doe,eve"@example.org'],
    ['64 characters', `${'x'.repeat(64)}@example.org`, `${'x'.repeat(64)}@example.org`],
    ['an apostrophe and a plus', "o'pat+tips@example.org", "o'pat+tips@example.org"],
    // The server shows domains as people read them.
    ['a domain in Unicode', 'pat@bücher.example', 'pat@bücher.example'],
  ])('an address with %s goes to that one alone', async (_, recipient, expected) => {
    const { server, send } = await openRelay();
    expect(await send({ recipient })).toMatchObject({ outcome: 'sent' });
    expect(server.taken.map(({ to }) => to)).toEqual([[expected]]);
  });

  test('a sender with a domain in Unicode makes headers of ASCII', async () => {
    const from = { name: 'Trinkgeld für Pät', address: 'tips@bücher.example' };
    const { server, send, domain } = await openRelay({}, { from });
    await send({ messageId: `<mail_1@${domain}>` });
    const [head = ''] = server.taken.map(({ raw }) => raw.slice(0, raw.indexOf('\r\n\r\n')));
    expect(head).toContain('Message-ID: <mail_1@xn--bcher-kva.example>');
    expect(head).not.toMatch(/[^\x20-\x7e\r\n]/);
  });

  test('an address that no server can be told of is refused, and its owner is told why', async () => {
    const { server, send } = await openRelay();
    for (const recipient of ['', 'nobody', 'pat@', '<pat@example.org> eve@example.org'])
      expect((await send({ recipient })).outcome, recipient).toBe('refused');
    expect(server.taken).toEqual([]);
  });
});
