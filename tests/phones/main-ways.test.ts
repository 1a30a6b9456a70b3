/**
 * The ways that most people go, in the engines of the phones that Chromium does not stand for: WebKit, which
 * every iPhone has, and Firefox. Chromium walks through everything else in `tests/browser`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#tests/support/phones/engine.ts';
import { firefox } from '#tests/support/phones/firefox.ts';
import type { Control } from '#tests/support/phones/in-page.ts';
import { Phone } from '#tests/support/phones/phone.ts';
import { webkit } from '#tests/support/phones/webkit.ts';
import { saveSheet } from '#tests/support/prints.ts';
import { call, createCode, enter, type Person } from '#tests/support/rest-client.ts';
import { type RunningServer, startServer, temporaryFolder } from '#tests/support/running-server.ts';
import { requirePrintTools } from '#tests/support/system-tools.ts';

/** Every control that a way touches, in the one place that a changed screen changes. */
const CONTROLS = {
  amount: { role: 'radio', name: '$25' },
  proceed: { role: 'button', name: /^Proceed/ },
  addMessage: { role: 'button', name: 'Add a Message' },
  pay: { role: 'button', name: /^Pay \$26\.25/ },
  signUp: { role: 'tab', name: 'Sign Up' },
  createAccount: { role: 'button', name: 'Create Account' },
  openMessage: { role: 'button', name: /^(?:Reply|Thank|More): / },
  readyThankYou: { role: 'button', name: 'You made my day!' },
  thisMonth: { role: 'link', name: 'This Month' },
  editProfile: { role: 'button', name: 'Edit Profile' },
  security: { role: 'button', name: /^Security & Data/ },
  save: { role: 'button', name: 'Save' },
} as const satisfies Readonly<Record<string, Control>>;

const FIELDS = {
  message: 'Message',
  fullName: /^Full name/,
  username: /^Username/,
  email: /^Email/,
  password: /^Password/,
  phoneNumber: /^Phone/,
} as const;

const PASSWORD = 'correct horse battery';
const MESSAGE = 'Best Negroni in town!';
const THANK_YOU = 'You made my day!';

let server: RunningServer;

beforeAll(async () => {
  if (!webkit.isInstalled && !firefox.isInstalled) return;
  requirePrintTools();
  server = await startServer();
});

interface Sides {
  readonly provider: Person;
  readonly code: string;
  readonly customer: Person;
}

/** A bartender with a code, and a customer. @param suffix of their usernames. */
async function bothSides(suffix: string): Promise<Sides> {
  const [provider, customer] = await Promise.all([
    enter(server, `marcus-${suffix}`, ['bartender']),
    enter(server, `cam-${suffix}`),
  ]);
  return { provider, customer, code: await createCode(server, provider.token, 'bartender') };
}

async function giveTip({ code, customer }: Sides): Promise<void> {
  const body = { receiver_qr_id: code, amount: 25, service_category: 'bartender' };
  expect((await call(server, '/transactions', { token: customer.token, body })).status).toBe(201);
}

interface Transaction {
  readonly id: string;
  readonly amount: number;
  readonly message: string | null;
  readonly thank_you: string | null;
}

async function transactionsOf({ token }: Person): Promise<readonly Transaction[]> {
  return (await call<Transaction[]>(server, '/transactions', { token })).body;
}

describe.each([webkit, firefox])('$name', ({ name, packages, isInstalled, start }) => {
  if (!isInstalled) {
    // Reporters pass over the names of skipped tests.
    console.info(`${name} is not tried, because it is not installed (Debian: ${packages}).`);
    test('is not installed', ({ skip }) => skip());
    return;
  }

  let engine: Engine;
  let phone: Phone;
  let count = 0;
  const newSides = () => {
    count += 1;
    return bothSides(`${name.toLowerCase()}-${count}`);
  };

  beforeAll(async () => {
    engine = await start(temporaryFolder());
    phone = await Phone.switchOn(engine, server.url);
  });

  afterAll(() => engine?.close());

  /** For whoever wants to look at it, like `picture` of the browser tests. */
  async function picture(state: string): Promise<void> {
    const folder = process.env['PICTURES'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await phone.savePicture(join(folder, `${name}-${state}.png`));
  }

  async function pay(code: string): Promise<void> {
    await phone.open(`/tip/${code}`);
    await phone.tap(CONTROLS.amount);
    await phone.tap(CONTROLS.proceed);
  }

  test('somebody signs up on the way, pays what was chosen before, and changes their profile, whose list of devices breaks no date', async () => {
    const { provider, code } = await newSides();
    await phone.handTo(null);
    await pay(code);
    await phone.tap(CONTROLS.signUp);
    await phone.type(FIELDS.fullName, 'Zoë Newcomer');
    await phone.type(FIELDS.username, `zoe-${name.toLowerCase()}`);
    await phone.type(FIELDS.email, `zoe-${name.toLowerCase()}@example.com`);
    await phone.type(FIELDS.password, PASSWORD);
    await picture('sign-up');
    await phone.tap(CONTROLS.createAccount);
    await phone.tap(CONTROLS.pay);
    await phone.read('Tip sent!');
    expect(await transactionsOf(provider)).toMatchObject([{ amount: 25 }]);
    await phone.open('/dashboard?tab=profile');
    await phone.tap(CONTROLS.editProfile);
    await phone.type(FIELDS.fullName, 'Zoë Newname');
    await phone.type(FIELDS.phoneNumber, '+43 1 234567');
    await phone.tap(CONTROLS.save);
    await phone.read('Welcome, Zoë Newname', '+43 1 234567');
    await picture('profile');
    await phone.tap(CONTROLS.security);
    await phone.read('Where you are logged in');
    await phone.seeTimeInOneLine();
  });

  test('a tip is paid once with a message, has a receipt, and the message is read and answered', async () => {
    const { provider, code, customer } = await newSides();
    await phone.handTo(customer.token);
    await pay(code);
    await phone.tap(CONTROLS.addMessage);
    await phone.type(FIELDS.message, MESSAGE);
    await picture('message');
    await phone.tap(CONTROLS.pay);
    await phone.read('Tip sent!', '$25.00');
    await picture('sent');
    const [tip, ...others] = await transactionsOf(customer);
    expect([tip?.amount, others]).toEqual([25, []]);
    await phone.open(`/transactions/${tip?.id}`);
    await phone.read('$26.25', 'Completed', tip?.id ?? '');
    await picture('receipt');
    await phone.handTo(provider.token);
    await phone.open('/dashboard?tab=transactions');
    await phone.read(MESSAGE);
    await phone.tap(CONTROLS.openMessage);
    await picture('thank');
    await phone.tap(CONTROLS.readyThankYou);
    await phone.read('Thank-you sent');
    expect(await transactionsOf(provider)).toMatchObject([{ message: MESSAGE, thank_you: THANK_YOU }]);
    await phone.handTo(customer.token);
    await phone.open('/dashboard?tab=transactions');
    await phone.read(THANK_YOU);
  });

  test('a tip arrives at an open dashboard, moves its sums, and is told by insights and the statement', async () => {
    const sides = await newSides();
    await phone.handTo(sides.provider.token);
    await phone.open('/dashboard');
    await phone.read('no tips yet');
    await giveTip(sides);
    await phone.read(/\$24\.25\s+tonight/, /Tips\s+Received\s+\$24\.25/);
    await picture('dashboard');
    for (const width of [320, 360, 390]) await phone.seeTabsInOneRow(width);
    await phone.open('/dashboard?tab=insights');
    await phone.read('$24.25', 'Average tip', 'Best day');
    await picture('insights');
    await phone.open('/statement');
    await phone.tap(CONTROLS.thisMonth);
    await phone.read('$24.25');
    await picture('statement');
    if (engine.print !== null) {
      // Of low pages the statement of one tip has several.
      const pages = await saveSheet(await engine.print(21, 12)).pages();
      expect(pages.length).toBeGreaterThan(1);
      for (const { words } of pages) {
        const printed = words.map(({ text }) => text).join(' ');
        expect(printed).toMatch(/Tips received, .*@marcus-/);
      }
    }
  });

  test('a code that fills the screen tells of a tip', async () => {
    const sides = await newSides();
    await phone.handTo(sides.provider.token);
    await phone.open(`/dashboard?show=${sides.code}`);
    await phone.read(`${sides.code.slice(0, 5)}-${sides.code.slice(5)}`);
    await giveTip(sides);
    await phone.read(/\$(?:24\.25|25\.00)/);
    await picture('shift');
  });
});
