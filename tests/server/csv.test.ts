/**
 * A statement as CSV, opened by an independent parser, gives back the ledger as its viewer may see it. No
 * cell of it is a formula, and no statement is ever whole in memory.
 */
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Storage } from '#server/storage/port/storage.ts';
import { csvLine } from '#shared/csv.ts';
import { createChance } from '#tests/support/chance.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { typePassword } from '#tests/support/people.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter, giveMany } from '#tests/support/test-ledger.ts';

const PAGE = 200;
/** Many pages, so that a list which were read as a whole would run far ahead of its reader. */
const MANY = 2_000;
const CSV = { Accept: 'text/csv' };

type Person = Awaited<ReturnType<typeof enter>>;
type Row = Readonly<Record<string, string>>;

/** The bytes as a spreadsheet gets them: the mark that says UTF-8 is not dropped. */
async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

function rowsOf(csv: Buffer): Row[] {
  expect([...csv.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  return parse(csv, { bom: true, columns: true, record_delimiter: '\r\n' });
}

async function download(t: TestApp, { token }: Person, query = '', path = '/api/transactions') {
  const response = await t.send(path + query, { headers: { ...CSV, Authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return { response, rows: rowsOf(await bytesOf(response)) };
}

/** Pat receives for two services and gives; Sam receives and gives; Cam gives. */
async function createScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const pat = await enter(t, 'pat', ['bartender', 'dj']);
  const sam = await enter(t, 'sam', ['barber']);
  const cam = await enter(t, 'cam');
  const [bar = '', booth = ''] = pat.codes;
  const [chair = ''] = sam.codes;
  const codes = { bartender: bar, dj: booth, barber: chair };
  const give = (giver: Person, serviceCategory: keyof typeof codes, amountCents: number) =>
    giver.trpc.transactions.create.mutate({
      receiverQrId: codes[serviceCategory],
      serviceCategory,
      amountCents,
    });
  return { t, pat, sam, cam, give };
}

describe('a statement', () => {
  test('tells every tip and every refund as its viewer saw the money go, newest first, in local times', async () => {
    const { t, pat, sam, cam, give } = await createScene();
    t.clock.nowMs = Date.parse('2026-05-15T23:59:30+05:45');
    const received = await give(cam, 'bartender', 2_000);
    t.clock.nowMs += 60_000;
    const sent = await give(pat, 'barber', 1_050);
    const refunded = await give(cam, 'dj', 123_456);
    t.clock.nowMs += 86_400_000;
    await pat.trpc.transactions.refund.mutate({ id: refunded.id });

    const { rows } = await download(t, pat, '?time_zone=Asia/Kathmandu');
    const always = {
      'UTC offset': 'UTC+05:45',
      Payment: 'simulated',
      Currency: 'USD',
      'Payment ID': '',
      'Refund ID': '',
    };
    const open = { Refunded: '', 'Refunded at': '', Status: 'Completed', 'Refunded at with offset': '' };
    const ofRefunded = {
      ...always,
      Time: '00:00:30',
      Direction: 'Received',
      Service: 'DJ',
      To: '',
      'Total paid': '',
      'Refunded at': '2026-05-17 00:00:30',
      Status: 'Refunded',
      Transaction: refunded.id,
      'Date of tip': '2026-05-16',
      'Day of tip': '2026-05-16',
      'Refunded at with offset': '2026-05-17T00:00:30+05:45',
      Code: pat.codes[1],
    };
    expect(rows.map(({ Giver: _, ...row }) => row)).toEqual([
      {
        ...ofRefunded,
        Date: '2026-05-17',
        Day: '2026-05-17',
        Tip: '-1234.56',
        'Service fee': '-37.04',
        'Net amount': '-1197.52',
        Refunded: '1197.52',
        Entry: 'Refund',
      },
      {
        ...ofRefunded,
        Date: '2026-05-16',
        Day: '2026-05-16',
        Tip: '1234.56',
        'Service fee': '37.04',
        'Net amount': '1197.52',
        Refunded: '',
        Entry: 'Tip',
      },
      {
        ...always,
        ...open,
        Date: '2026-05-16',
        Day: '2026-05-16',
        Time: '00:00:30',
        Direction: 'Sent',
        Service: 'Barber',
        To: 'Name of sam',
        Tip: '10.50',
        'Service fee': '0.53',
        'Net amount': '',
        'Total paid': '11.03',
        Transaction: sent.id,
        Entry: 'Tip',
        'Date of tip': '2026-05-16',
        'Day of tip': '2026-05-16',
        Code: sam.codes[0],
      },
      {
        ...always,
        ...open,
        Date: '2026-05-15',
        Day: '2026-05-15',
        Time: '23:59:30',
        Direction: 'Received',
        Service: 'Bartender',
        To: '',
        Tip: '20.00',
        'Service fee': '0.60',
        'Net amount': '19.40',
        'Total paid': '',
        Transaction: received.id,
        Entry: 'Tip',
        'Date of tip': '2026-05-15',
        'Day of tip': '2026-05-15',
        Code: pat.codes[0],
      },
    ]);
    const givers = rows.map(({ Giver }) => Giver);
    const [pseudonym] = givers;
    expect(pseudonym).toMatch(/^gvr_/);
    expect(givers).toEqual([pseudonym, pseudonym, '', pseudonym]);
    const ofSam = await download(t, sam);
    expect(ofSam.rows.map(({ Transaction }) => Transaction)).toEqual([sent.id]);
    const ofCam = await download(t, cam, '?direction=sent&service_category=dj');
    expect(ofCam.rows).toMatchObject([
      { 'Total paid': '-1296.29', Refunded: '1296.29', Date: '2026-05-16', Giver: '' },
      { 'Total paid': '1296.29', Refunded: '', Date: '2026-05-15', Giver: '' },
    ]);
  });

  test('keeps the place and the name of every column, and has new ones at the end', async () => {
    const { t, pat } = await createScene();
    const headerOf = async (path: string) => {
      const headers = { ...CSV, Authorization: `Bearer ${pat.token}` };
      return (await (await t.send(path, { headers })).text()).split('\r\n')[0];
    };
    expect(await headerOf('/api/transactions')).toBe(
      'Date,Time,UTC offset,Direction,Service,To,Tip,Service fee,Net amount,Total paid,Refunded,Refunded at,' +
        'Status,Payment,Currency,Transaction,Entry,Date of tip,Refunded at with offset,Code,Giver,Payment ID,Refund ID,Day,Day of tip',
    );
    expect(await headerOf('/api/transactions/insights?from=2026-05-01&to=2026-05-02')).toBe(
      'Date,Tips,Gross,Fees,Net,Currency,Payment,Tips given,Refunds made,Gross after refunds,' +
        'Fees after refunds,Net after refunds',
    );
  });

  test('has the tips of its filter, and a name that says its period', async () => {
    const { t, pat, cam, give } = await createScene();
    const ids: string[] = [];
    for (const [index, serviceCategory] of (['dj', 'bartender', 'dj'] as const).entries()) {
      t.clock.nowMs = Date.parse(`2026-05-1${index}T12:00:00Z`);
      ids.push((await give(cam, serviceCategory, 1_000)).id);
    }
    for (const [query, name, expected] of [
      ['', 'tipwell-tips.csv', [2, 1, 0]],
      ['?from=2026-05-11', 'tipwell-tips-2026-05-11.csv', [2, 1]],
      ['?to=2026-05-11', 'tipwell-tips-to-2026-05-11.csv', [1, 0]],
      ['?from=2026-05-10&to=2026-05-11', 'tipwell-tips-2026-05-10-to-2026-05-11.csv', [1, 0]],
      ['?service_category=dj', 'tipwell-tips.csv', [2, 0]],
      ['?direction=received', 'tipwell-received-tips.csv', [2, 1, 0]],
      ['?direction=sent&to=2026-05-11', 'tipwell-sent-tips-to-2026-05-11.csv', []],
    ] as const) {
      const { response, rows } = await download(t, pat, query);
      expect(response.headers.get('Content-Disposition')).toBe(`attachment; filename="${name}"`);
      expect(rows.map(({ Transaction }) => Transaction)).toEqual(expected.map((index) => ids[index]));
    }
  });

  test('of one page is that page, and names the next one', async () => {
    const { t, pat, cam, give } = await createScene();
    for (let tip = 0; tip < 3; tip += 1) await give(cam, 'dj', 1_000);
    const first = await download(t, pat, '?limit=2');
    expect(first.rows).toHaveLength(2);
    const next = /^<\/api\/transactions(\?.+)>; rel="next"$/.exec(first.response.headers.get('Link') ?? '');
    const second = await download(t, pat, next?.[1]);
    expect(second.rows).toHaveLength(1);
    expect(second.response.headers.get('Link')).toBeNull();
  });

  test('of one page goes on rightly between a tip and its refund, wherever it is cut', async () => {
    const { t, pat, sam, give } = await createScene();
    for (let tip = 0; tip < 4; tip += 1) {
      const { id } = await give(sam, 'dj', 1_000 + tip);
      t.clock.nowMs += 1_000;
      await pat.trpc.transactions.refund.mutate({ id });
    }
    const keyOf = (row: Row) => `${row['Transaction']} ${row['Entry']}`;
    const whole = (await download(t, pat)).rows.map(keyOf);
    expect(whole).toHaveLength(8);
    for (const limit of [1, 3, 5]) {
      const listed: string[] = [];
      for (let query: string | undefined = `?limit=${limit}`; query !== undefined; ) {
        const page = await download(t, pat, query);
        listed.push(...page.rows.map(keyOf));
        await give(sam, 'dj', 9_000);
        query = /^<\/api\/transactions(\?.+)>; rel="next"$/.exec(
          page.response.headers.get('Link') ?? '',
        )?.[1];
      }
      expect(listed.slice(-8)).toEqual(whole);
      expect(new Set(listed).size).toBe(listed.length);
    }
    // A cursor of the time before there were rows of refunds goes on from its tip.
    const { transactions } = await pat.trpc.transactions.list.query({ direction: 'received' });
    const first = transactions.at(-1)?.id;
    expect((await download(t, pat, `?cursor=${first}`)).rows).toEqual([]);
    for (const cursor of [`${first}.3`, `${first}.99`, `${first}.0`, `${first}.`]) {
      const { status } = await t.rest('GET', `/transactions?cursor=${cursor}`, {
        token: pat.token,
        headers: CSV,
      });
      expect([cursor, status]).toEqual([cursor, 422]);
    }
    const { status } = await t.rest('GET', `/transactions?cursor=${first}.1`, {
      token: sam.token,
      headers: CSV,
    });
    expect(status).toBe(200);
  });

  test('is refused like the same listing as JSON', async () => {
    const { t, pat } = await createScene();
    const { status, body } = await t.rest('GET', '/transactions?from=tomorrow', {
      token: pat.token,
      headers: CSV,
    });
    expect([status, body]).toMatchObject([422, { code: 'invalid_input', errors: [{ field: 'from' }] }]);
    expect((await t.rest('GET', '/transactions', { headers: CSV })).status).toBe(401);
  });
});

test('the daily record has the days on which something was received or refunded, as it counts today and as on that day', async () => {
  const { t, pat, cam, give } = await createScene();
  const giveAt = (time: string, amountCents: number) => {
    t.clock.nowMs = Date.parse(time);
    return give(cam, 'bartender', amountCents);
  };
  await giveAt('2026-05-10T23:30:00Z', 1_010);
  await giveAt('2026-05-11T10:00:00Z', 2_000);
  const refunded = await giveAt('2026-05-13T10:00:00Z', 5_000);
  t.clock.nowMs = Date.parse('2026-05-15T10:00:00Z');
  await pat.trpc.transactions.refund.mutate({ id: refunded.id });
  const period = '?from=2026-05-01&to=2026-05-31&time_zone=Europe/Vienna';
  const daily = await download(t, pat, period, '/api/transactions/insights');
  const always = { Currency: 'USD', Payment: 'simulated' };
  const sums = { Tips: '2', Gross: '30.10', Fees: '0.90', Net: '29.20' };
  const none = { Tips: '0', Gross: '0.00', Fees: '0.00', Net: '0.00' };
  const inBooks = (tips: string, refunds: string, gross: string, fees: string, net: string) => ({
    'Tips given': tips,
    'Refunds made': refunds,
    'Gross after refunds': gross,
    'Fees after refunds': fees,
    'Net after refunds': net,
  });
  expect(daily.rows).toEqual([
    { Date: '2026-05-11', ...sums, ...always, ...inBooks('2', '0', '30.10', '0.90', '29.20') },
    { Date: '2026-05-13', ...none, ...always, ...inBooks('1', '0', '50.00', '1.50', '48.50') },
    { Date: '2026-05-15', ...none, ...always, ...inBooks('0', '1', '-50.00', '-1.50', '-48.50') },
  ]);
  expect(daily.response.headers.get('Content-Disposition')).toBe(
    'attachment; filename="tipwell-daily-tips-2026-05-01-to-2026-05-31.csv"',
  );
  const weekly = await download(t, pat, `${period}&granularity=week`, '/api/transactions/insights');
  expect(weekly.rows).toEqual([
    {
      From: '2026-05-11',
      To: '2026-05-17',
      ...sums,
      ...always,
      ...inBooks('3', '1', '30.10', '0.90', '29.20'),
    },
  ]);
});

test('a statement and a record say how tips were paid, also of days on which they were paid in two ways', async () => {
  const { t: simulated, pat, cam, give } = await createScene();
  await give(cam, 'bartender', 1_010);
  simulated.clock.nowMs += 86_400_000;
  await give(cam, 'bartender', 2_000);
  const { t, makePayable, pay } = await createPaidApp({ data: simulated.data });
  t.clock.nowMs = simulated.clock.nowMs + 60_000;
  await typePassword(t, pat);
  await makePayable({ trpc: t.trpc(pat.token) });
  const giveAndPay = async () => {
    const [receiverQrId = ''] = pat.codes;
    const tip = { receiverQrId, serviceCategory: 'bartender', amountCents: 3_000 } as const;
    const given = await t.trpc(cam.token).transactions.create.mutate(tip);
    await pay(given.paymentUrl);
  };
  await giveAndPay();
  t.clock.nowMs += 86_400_000;
  await giveAndPay();

  for (const person of [pat, cam]) {
    const { rows } = await download(t, person);
    expect(rows.map((row) => [row['Tip'], row['Payment']])).toEqual([
      ['30.00', 'test'],
      ['30.00', 'test'],
      ['20.00', 'simulated'],
      ['10.10', 'simulated'],
    ]);
  }
  const period = '?from=2026-05-01&to=2026-05-31';
  const daily = await download(t, pat, period, '/api/transactions/insights');
  expect(daily.rows.map((row) => [row['Date'], row['Gross'], row['Payment']])).toEqual([
    ['2026-05-15', '10.10', 'simulated'],
    ['2026-05-16', '50.00', 'simulated and test'],
    ['2026-05-17', '30.00', 'test'],
  ]);
  const monthly = await download(t, pat, `${period}&granularity=month`, '/api/transactions/insights');
  expect(monthly.rows.map((row) => [row['Tips'], row['Payment']])).toEqual([['4', 'simulated and test']]);
});

describe('a cell', () => {
  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    '＋1',
    '－1',
    '＠1',
    '=HYPERLINK("https://evil.example","click")',
  ])('that begins like a formula is a text: %j', (name) => {
    const [[cell]] = parse(csvLine([name])) as [[string]];
    expect(cell).toBe(`'${name}`);
  });

  test.each([
    ['Bar;=1+1', "Bar;'=1+1"],
    ['Bar; @SUM(A1);-1', "Bar; '@SUM(A1);'-1"],
    ['=a;＝b', "'=a;'＝b"],
    ['x;"=1+1;y', `x;"'=1+1;y`],
    ['x; " "+1', `x; " "'+1`],
  ])('is no formula either where semicolons separate cells: %j', (name, expected) => {
    const line = csvLine([name]);
    expect(parse(line)).toEqual([[expected]]);
    for (const cell of line.split(';')) expect(cell).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/);
  });

  test.each([
    '19.40',
    '2026-05-15',
    'UTC-05:00',
    'Pat',
    '',
    "'quoted'",
    '1=1',
    ' =1',
    'a"b',
    'a,b',
    'a\r\nb',
    '"',
    ',',
    'Zoë 👩🏽‍🎤',
    '東京',
    'שלום',
    ';',
    '\u00a0',
  ])('is read as it was written: %j', (text) => {
    expect(parse(csvLine(['before', text, 'after']), { record_delimiter: '\r\n' })).toEqual([
      ['before', text, 'after'],
    ]);
  });

  test('keeps whole whatever somebody is called, and never becomes a formula of their name', async () => {
    const { t, sam, cam, give } = await createScene();
    const names = ['=cmd|A0', '@Sam "the, blade"', 'Sam\r\n=1+1,"2"', '+1 Sam 👩🏽‍🎤', '－Sam', 'Sam;Zoë'];
    for (const fullName of names) {
      await t.storage.updateAccount(sam.user.id, { fullName });
      await give(cam, 'barber', 1_000);
      const { rows } = await download(t, cam);
      const expected = /^[=@+－]/.test(fullName) ? `'${fullName}` : fullName;
      expect(new Set(rows.map(({ To }) => To))).toEqual(new Set([expected]));
      for (const row of rows) {
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }
    }
  });
});

describe('CSV is answered', () => {
  test.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV', 'csv'],
    ['text/*', 'csv'],
    ['text/csv, application/json', 'json'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['text/csv;q=0.5, */*', 'json'],
    ['application/json;q=0.4, text/csv;q=0.5', 'csv'],
    ['application/json;q=0.5, text/csv;q=0.4', 'json'],
    ['application/json;q=0, */*', 'csv'],
    ['text/csv;q=0', 'json'],
    ['text/csv; header=present', 'csv'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'json'],
    ['image/png', 'json'],
    ['nonsense', 'json'],
  ])('to Accept: %s as %s, and the answer says that it depends on that', async (accept, expected) => {
    const { t, pat } = await createScene();
    const headers = { Authorization: `Bearer ${pat.token}`, ...(accept !== undefined && { Accept: accept }) };
    for (const path of ['/api/transactions', '/api/transactions/insights?from=2026-05-01&to=2026-05-02']) {
      const answer = await t.send(path, { headers });
      expect(answer.headers.get('Content-Type')).toBe(
        expected === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/json',
      );
      expect(answer.headers.get('Vary')).toBe('Accept');
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      await answer.body?.cancel();
    }
  });

  test('with the same headers to HEAD, without a body', async () => {
    const { t, pat, cam, give } = await createScene();
    await give(cam, 'dj', 1_000);
    const headers = { ...CSV, Authorization: `Bearer ${pat.token}` };
    const [get, head] = await Promise.all([
      t.send('/api/transactions', { headers }),
      t.send('/api/transactions', { method: 'HEAD', headers }),
    ]);
    expect(await head.text()).toBe('');
    expect(await get.text()).not.toBe('');
    for (const name of ['Content-Type', 'Content-Disposition', 'Vary'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  });
});

describe(`a statement of ${MANY} tips`, () => {
  /** Counts the records that the storage has handed out. */
  async function createLongHistory(count: number) {
    let produced = 0;
    const wrapStorage = (storage: Storage): Storage => ({
      ...storage,
      async listBookEntries(...asked) {
        const step = await storage.listBookEntries(...asked);
        produced += step.entries.length;
        return step;
      },
    });
    const { t, pat, cam } = await createScene({ wrapStorage });
    const netCents = await giveMany(t, cam, pat, count);
    const open = (path = '/api/transactions') =>
      t.send(path, { headers: { ...CSV, Authorization: `Bearer ${pat.token}` } });
    return { t, pat, cam, open, netCents, produced: () => produced };
  }

  test('is read from the ledger page by page, as its reader takes it', async () => {
    const { open, produced, netCents } = await createLongHistory(MANY);
    const answer = await open();
    const parts: Uint8Array[] = [];
    let taken = -1;
    let ahead = 0;
    for await (const part of answer.body ?? []) {
      ahead = Math.max(ahead, produced() - taken);
      parts.push(part);
      taken += Buffer.from(part).toString().split('\r\n').length - 1;
      expect(part.byteLength).toBeLessThan(PAGE * 300);
    }
    expect(taken).toBe(MANY);
    // Each page reads one tip of the next, which tells that there is one.
    expect(ahead).toBeLessThanOrEqual(PAGE + 1 + MANY / PAGE);
    const rows = rowsOf(Buffer.concat(parts));
    expect(new Set(rows.map(({ Transaction }) => Transaction)).size).toBe(MANY);
    const sum = rows.reduce((total, row) => total + Number(row['Net amount']?.replace('.', '')), 0);
    expect(sum).toBe(netCents);
  });

  test('is read no further once its reader has gone', async () => {
    const { open, produced } = await createLongHistory(5 * PAGE);
    const answer = await open();
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.read();
    await reader?.cancel();
    const atTheEnd = produced();
    expect(atTheEnd).toBeLessThan(3 * PAGE);
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced()).toBe(atTheEnd);
  });

  test('has a daily record that tells each day as soon as the tips of that day are read', async () => {
    const { t, open, pat, cam, produced } = await createLongHistory(2 * PAGE);
    const first = new Date(t.clock.nowMs).toISOString().slice(0, 10);
    for (const seed of [1, 2]) {
      t.clock.nowMs += 86_400_000;
      await giveMany(t, cam, pat, 2 * PAGE, createChance(seed));
    }
    const last = new Date(t.clock.nowMs).toISOString().slice(0, 10);
    const answer = await open(`/api/transactions/insights?from=${first}&to=${last}`);
    const reader = answer.body?.getReader();
    const read = async () => Buffer.from((await reader?.read())?.value ?? '').toString();
    expect(await read()).toContain('Tips given');
    expect(await read()).toMatch(new RegExp(`^${first},400,[^\r]*\r\n$`));
    // The stream asks for one row before its reader does, and each page reads one tip of the next.
    expect(produced()).toBeLessThan(5 * PAGE);
    await reader?.cancel();
  });

  test('breaks off when its session ends, rather than pass for the whole', async () => {
    const { open, pat } = await createLongHistory(3 * PAGE);
    const answer = await open();
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.read();
    await pat.trpc.auth.logout.mutate();
    await expect(reader?.read()).rejects.toThrow();
  });
});

test('whoever leaves while a list is made for them is no error', async () => {
  const { t, pat, cam, give } = await createScene();
  await give(cam, 'bartender', 1_010);
  t.logLines.length = 0;
  for (const Accept of ['text/csv', 'application/json']) {
    const response = await t.send('/api/transactions', {
      headers: { Accept, Authorization: `Bearer ${pat.token}` },
    });
    const reader = response.body?.getReader();
    const reading = reader?.read();
    await reader?.cancel();
    await reading;
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(t.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});
