/**
 * An accountant's quarter: three months of a provider and of a giver, through the real server, with refunds, disputes
 * and all else that moves money after a tip, across the ends of months. Each month is closed when it ends: its statement
 * is noted, its CSV is saved and opened in LibreOffice, whose own arithmetic adds the columns up. Months later each is
 * asked for again: its statement and its CSV are those that were noted, on paper too, and what was changed since
 * explains what its tips come to by now, day by day. The card of the giver and the fees of the operator come to the same.
 */
import { parse } from 'csv-parse/sync';
import { databaseAt } from '#server/storage/open.ts';
import { dateAfter, firstOfDate } from '#shared/calendar.ts';
import { readQrCodeId, type UserId } from '#shared/ids.ts';
import { call, createCode, enter, type Person } from '#tests/support/rest-client.ts';
import { type RunningServer, runToEnd, startServer } from '#tests/support/running-server.ts';
import { openPrinter } from './printed-statement.ts';
import { beginQuarter, type CardMovement } from './quarter.ts';
import { calculate, changesOf, sumOf } from './spreadsheet.ts';

const TIME_ZONE = 'America/New_York';
const MONTHS = [
  { from: '2026-01-01', to: '2026-01-31' },
  { from: '2026-02-01', to: '2026-02-28' },
  { from: '2026-03-01', to: '2026-03-31' },
] as const;
type Month = (typeof MONTHS)[number];
/** Tips go on to the end of the month after them. */
const LAST_DAY = '2026-04-30';
/** The only cells of a month that change after its end. */
const CHANGING = ['Status', 'Refunded at', 'Refunded at with offset'];

interface Moves {
  readonly count: number;
  readonly net_minor: number;
  readonly paid_minor: number;
}
interface Sums {
  readonly received_minor: number;
  readonly paid_minor: number;
  readonly books: Readonly<Record<`${'received' | 'sent'}_${'tips' | 'changes' | 'since'}`, Moves>>;
}
type Row = Readonly<Record<string, string>>;

/** The side of a person, in whole cents of the sum that leads it. */
interface Side {
  readonly person: Person;
  readonly direction: 'received' | 'sent';
  readonly column: 'Net amount' | 'Total paid';
  readonly sumOf: (moves: Moves) => number;
  readonly todayOf: (sums: Sums) => number;
}

interface Closed {
  readonly side: Side;
  readonly month: Month;
  readonly statement: readonly number[];
  readonly feesCents: number;
  readonly rows: readonly Row[];
  /** What the tips of each day came to when the month ended. */
  readonly days: ReadonlyMap<string, number>;
}

/** @param report is told of each month. */
export async function closeAQuarter(report: (line: string) => void) {
  const violations: string[] = [];
  const expectSame = (what: string, told: unknown, expected: unknown) => {
    const [one, other] = [JSON.stringify(told), JSON.stringify(expected)];
    if (one !== other) violations.push(`${what}: ${one} in place of ${other}`);
  };
  const server = await startServer();
  const pat = await enter(server, 'pat', ['bartender', 'dj']);
  const cam = await enter(server, 'cam');
  const sides: readonly Side[] = [
    {
      person: pat,
      direction: 'received',
      column: 'Net amount',
      sumOf: ({ net_minor }) => net_minor,
      todayOf: ({ received_minor }) => received_minor,
    },
    {
      person: cam,
      direction: 'sent',
      column: 'Total paid',
      sumOf: ({ paid_minor }) => paid_minor,
      todayOf: ({ paid_minor }) => paid_minor,
    },
  ];
  const codes = [];
  for (const service of ['bartender', 'dj'] as const) {
    const id = readQrCodeId(await createCode(server, pat.token, service));
    if (id === null) throw new Error('there is no code');
    codes.push({ id, service });
  }
  const storage = await databaseAt({ engine: 'sqlite', path: server.databasePath }).openForCommand();
  const printer = await openPrinter(server, TIME_ZONE);
  try {
    const people = { giverId: cam.id as UserId, receiverId: pat.id as UserId, codes };
    const quarter = await beginQuarter(storage, people, firstOfDate(MONTHS[0].from, TIME_ZONE));
    const noted: Closed[] = [];
    for (const month of MONTHS) {
      await quarter.liveUntil(firstOfDate(dateAfter(month.to, 1), TIME_ZONE));
      for (const side of sides) noted.push(await close(side, month, quarter.card));
    }
    await quarter.liveUntil(firstOfDate(dateAfter(LAST_DAY, 1), TIME_ZONE));
    await quarter.settleAll();
    for (const closed of noted) await lookAgain(closed);
    await compareFees(noted);
    for (const fate of quarter.fates) if (!quarter.met.has(fate)) violations.push(`no tip was ${fate}`);
    return { figures: { months: MONTHS.length, tips: quarter.tipCount() }, violations };
  } finally {
    await printer.close();
    await storage.close();
    await server.stop();
  }

  async function close(side: Side, month: Month, card: readonly CardMovement[]): Promise<Closed> {
    const { direction, column } = side;
    const { from, to } = month;
    const name = `${direction} ${from}`;
    const sums = await sumsOf(server, side, month);
    const csv = await csvOf(server, side, `&from=${from}&to=${to}`);
    const columns = ['Tip', 'Service fee', column, 'Refunded'];
    const inLibreOffice = await calculate(csv, new Map(columns.map((one) => [one, sumOf(one)])));
    const { tips, changes } = bookOf(sums, side);
    const total = side.sumOf(tips) + side.sumOf(changes);
    report(`${name}: ${tips.count} tips, ${changes.count} changes, ${total / 100}`);
    expectSame(`${name} in LibreOffice`, inLibreOffice(column), total);
    expectSame(`${name} went back`, inLibreOffice('Refunded'), 0 - side.sumOf(changes));
    const sign = direction === 'received' ? -1 : 1;
    const feesCents = inLibreOffice('Service fee');
    expectSame(`${name} with fees`, inLibreOffice('Tip') + sign * feesCents, total);
    if (direction === 'sent') {
      const [fromMs, untilMs] = [firstOfDate(from, TIME_ZONE), firstOfDate(dateAfter(to, 1), TIME_ZONE)];
      const moved = card.filter(({ atMs }) => fromMs <= atMs && atMs < untilMs);
      expectSame(`${name} on the card`, total, sum(moved.map(({ cents }) => cents)));
    }
    const days = new Map<string, number>();
    for (const day of daysOf(month)) days.set(day, await todayOf(side, day));
    const rows: Row[] = parse(csv, { bom: true, columns: true });
    return { side, month, statement: [tips.count, changes.count, total], feesCents, rows, days };
  }

  async function lookAgain({ side, month, statement, rows, days }: Closed): Promise<void> {
    const { direction, column } = side;
    const { from, to } = month;
    const name = `${direction} ${from}, months later`;
    const sums = await sumsOf(server, side, month);
    const { tips, changes, since } = bookOf(sums, side);
    const total = side.sumOf(tips) + side.sumOf(changes);
    expectSame(name, [tips.count, changes.count, total], statement);
    const same: Row[] = parse(await csvOf(server, side, `&from=${from}&to=${to}`), {
      bom: true,
      columns: true,
    });
    expectSame(`${name}, in CSV`, same.map(withoutStates), rows.map(withoutStates));
    const after = await csvOf(server, side, `&from=${dateAfter(to, 1)}`);
    const explained = await calculate(
      after,
      new Map(daysOf(month).map((day) => [day, changesOf(column, day)])),
    );
    for (const [day, thenCents] of days)
      expectSame(`${name}, ${day}`, thenCents + explained(day), await todayOf(side, day));
    expectSame(`${name}, changed since`, sum(daysOf(month).map(explained)), side.sumOf(since));
    const [thenCents, todayCents] = [sum([...days.values()]), side.todayOf(sums)];
    expectSame(`${name}, today`, thenCents + side.sumOf(since), todayCents);
    const printed = await printer.print(side.person, { direction, ...month });
    expectSame(`${name}, on paper`, printed, {
      totalCents: total,
      // By month and by day; what was sent has no such tables.
      tableTotals: direction === 'received' ? [total, total] : [],
      today: {
        'Total of this statement': total,
        'These tips when the period ended': thenCents,
        'Changed since': side.sumOf(since),
        'These tips today': todayCents,
      },
    });
    const met = metAfter(after, month);
    expectSame(`${name}, what did not happen in the months after it`, met.missing, []);
    report(
      `${name}: ${since.count} changed since (${met.months}): ` +
        `${thenCents / 100} ${side.sumOf(since) / 100} = ${todayCents / 100}`,
    );
  }

  /** What the operator earned of everything is the fees of both sides: by month, and by day. */
  async function compareFees(noted: readonly Closed[]): Promise<void> {
    for (const by of ['month', 'day'] as const) {
      const words = [
        '--from',
        MONTHS[0].from,
        '--to',
        MONTHS[2].to,
        '--by',
        by,
        '--time-zone',
        TIME_ZONE,
        '--csv',
      ];
      const { stdout } = await runToEnd('fees', { DATABASE_URL: server.databasePath }, words);
      const fees: Row[] = parse(stdout, { bom: true, columns: true, relax_quotes: true });
      const income = new Map<string, number>();
      for (const row of fees) {
        const period = row['Month'] ?? row['Date'] ?? '';
        income.set(period, (income.get(period) ?? 0) + centsOf(row['Fee income']));
      }
      const expected = new Map<string, number>();
      for (const { month, rows, feesCents } of noted)
        if (by === 'month') {
          const name = month.from.slice(0, 'YYYY-MM'.length);
          expected.set(name, (expected.get(name) ?? 0) + feesCents);
        } else
          for (const row of rows) {
            const day = row['Date'] ?? '';
            expected.set(day, (expected.get(day) ?? 0) + centsOf(row['Service fee']));
          }
      const sorted = (periods: ReadonlyMap<string, number>) =>
        [...periods].toSorted(([one], [other]) => (one < other ? -1 : 1));
      expectSame(`fees by ${by}`, sorted(income), sorted(expected));
      report(`fees by ${by}: ${income.size} periods, ${sum([...income.values()]) / 100}`);
    }
  }

  async function todayOf(side: Side, day: string): Promise<number> {
    return side.todayOf(await sumsOf(server, side, { from: day, to: day }));
  }
}

async function sumsOf(
  server: RunningServer,
  { person, direction }: Side,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Sums> {
  const path = `/transactions/sums?direction=${direction}&from=${from}&to=${to}&time_zone=${TIME_ZONE}`;
  const { status, body } = await call<Sums>(server, path, { token: person.token });
  if (status !== 200) throw new Error(`${path} is answered with ${status}`);
  return body;
}

async function csvOf({ url }: RunningServer, { person, direction }: Side, period: string): Promise<Buffer> {
  const path = `/api/transactions?direction=${direction}&time_zone=${TIME_ZONE}${period}`;
  const headers = { Authorization: `Bearer ${person.token}`, Accept: 'text/csv' };
  return Buffer.from(await (await fetch(url + path, { headers })).arrayBuffer());
}

function bookOf({ books }: Sums, { direction }: Side) {
  return {
    tips: books[`${direction}_tips`],
    changes: books[`${direction}_changes`],
    since: books[`${direction}_since`],
  };
}

/** In which months after a closed one its tips have changed, and what lacks of all that can. */
function metAfter(csv: Buffer, { from, to }: Month) {
  const rows: Row[] = parse(csv, { bom: true, columns: true });
  const changes = rows.filter(
    ({ Entry, 'Date of tip': date = '' }) => Entry !== 'Tip' && from <= date && date <= to,
  );
  const kinds = new Set(changes.map(({ Entry }) => Entry));
  const months = new Set(changes.map(({ Date: date = '' }) => date.slice(0, 'YYYY-MM'.length)));
  const laterMonths = ['2026-02', '2026-03', '2026-04'].filter((month) => month > to);
  const KINDS = [
    'Refund',
    'Canceled before charge',
    'Partial refund',
    'Refund failed',
    'Dispute',
    'Dispute won',
    'Dispute lost',
    'Debit',
  ];
  return {
    months: [...months].toSorted().join(' '),
    missing: [
      ...KINDS.filter((kind) => !kinds.has(kind)),
      ...laterMonths.filter((month) => !months.has(month)),
    ],
  };
}

function daysOf({ from, to }: Month): string[] {
  const days = [];
  for (let day: string = from; day <= to; day = dateAfter(day, 1)) days.push(day);
  return days;
}

const withoutStates = (row: Row) => Object.entries(row).filter(([name]) => !CHANGING.includes(name));
const centsOf = (amount: string | undefined) => Math.round(100 * Number(amount ?? Number.NaN));
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
