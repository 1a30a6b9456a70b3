/** Reported messages in the console: what an operator sees of them, page by page, and that one is settled once. */
import { expect, test } from 'vitest';
import { REPORTS_PER_PAGE, type ReportedMessage } from '#shared/console/reports.ts';
import type { TransactionId } from '#shared/ids.ts';
import { consoleOf, createOperator } from '#tests/support/operators.ts';
import { createPeople } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const REASON = 'Talked to both';
const SAID = { message: 'Ugly "words"', giverName: 'Name of cam', isRefused: false };

async function openScene() {
  const t = await createTestApp();
  const people = await createPeople(t.storage).setTheScene();
  const { console } = await createOperator(t);
  const report = async ({ isGuest = false } = {}) => {
    const said = { ...SAID, ...(isGuest && { giverName: null }) };
    const tip = { ...people.tip(), ...(isGuest && { giverId: null }), giverMessage: said };
    await t.storage.recordTip(tip);
    await t.storage.messages.reportMessage(people.provider.id, tip.id, t.clock.nowMs);
    return tip.id;
  };
  /** Every page of a list. */
  const walk = async (state: 'open' | 'settled') => {
    const pages: (readonly ReportedMessage[])[] = [];
    for (let cursor: Awaited<ReturnType<typeof console.reports.list.query>>['next'] = null; ; ) {
      const { reports, next } = await console.reports.list.query({ state, cursor });
      pages.push(reports);
      if (next === null) return pages;
      cursor = next;
    }
  };
  return { t, ...people, console, report, walk };
}

test('a report says what was reported, of whom and by whom, and nothing else of them', async () => {
  const { t, provider, customer, console, report } = await openScene();
  const id = await report();
  t.clock.nowMs += 1;
  const guest = await report({ isGuest: true });
  const { reports, next } = await console.reports.list.query({ state: 'open' });
  const receiver = { id: provider.id, username: 'pat' };
  expect(next).toBeNull();
  expect(reports).toEqual([
    {
      transactionId: id,
      reportedAt: new Date(t.clock.nowMs - 1).toISOString(),
      settledAt: null,
      message: SAID.message,
      giverName: 'Name of cam',
      giver: { id: customer.id, username: 'cam' },
      receiver,
    },
    {
      transactionId: guest,
      reportedAt: new Date(t.clock.nowMs).toISOString(),
      settledAt: null,
      message: SAID.message,
      giverName: null,
      giver: null,
      receiver,
    },
  ]);
  await t.storage.closeAccount(customer.id, t.clock.nowMs, false);
  expect((await console.reports.list.query({ state: 'open' })).reports[0]).toMatchObject({
    giver: { id: customer.id, username: null },
    message: SAID.message,
  });
});

test('open ones come oldest first and settled ones newest first, each once, however many there are', async () => {
  const { t, console, report, walk } = await openScene();
  const ids: TransactionId[] = [];
  for (let count = 0; count <= REPORTS_PER_PAGE; count += 1) {
    ids.push(await report());
    // Several at one moment, so that the time alone would not say where a page ended.
    if (count % 4 === 0) t.clock.nowMs += 1;
  }
  const open = await walk('open');
  expect(open.map(({ length }) => length)).toEqual([REPORTS_PER_PAGE, 1]);
  expect(
    open
      .flat()
      .map(({ transactionId }) => transactionId)
      .toSorted(),
  ).toEqual(ids.toSorted());
  const times = open.flat().map(({ reportedAt }) => reportedAt);
  expect(times).toEqual(times.toSorted());

  for (const transactionId of ids.slice(0, 2)) {
    t.clock.nowMs += 1;
    expect(await console.reports.settle.mutate({ transactionId, reason: REASON })).toBe(true);
    expect(await console.reports.settle.mutate({ transactionId, reason: REASON })).toBe(false);
  }
  expect((await walk('settled')).flat()).toMatchObject(
    ids
      .slice(0, 2)
      .toReversed()
      .map((transactionId) => ({ transactionId, message: SAID.message })),
  );
  expect((await walk('open')).flat()).toHaveLength(ids.length - 2);
  const rows = await t.storage.audit.listAbout(ids[0] ?? '', 10);
  expect(rows).toMatchObject([{ action: 'report_settled', reason: REASON }]);
});

test('what is no id of a tip, and nobody without a session of an operator, gets anywhere', async () => {
  const { t, console, report } = await openScene();
  const transactionId = await report();
  for (const input of [
    { transactionId: 'x' as TransactionId, reason: REASON },
    { transactionId, reason: ' ' },
  ])
    await expect(console.reports.settle.mutate(input)).rejects.toMatchObject({
      data: { errorCode: 'invalid_input' },
    });
  const nobody = consoleOf(t);
  await expect(nobody.reports.list.query({ state: 'open' })).rejects.toMatchObject({
    data: { errorCode: 'not_logged_in' },
  });
  await expect(nobody.reports.settle.mutate({ transactionId, reason: REASON })).rejects.toMatchObject({
    data: { errorCode: 'not_logged_in' },
  });
  expect(await t.storage.messages.listReports(10)).toHaveLength(1);
});
