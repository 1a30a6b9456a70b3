/**
 * A server that is killed under load again and again, over the same file. What must hold is asserted here:
 * every acknowledged tip and refund is there once, a key that is sent again is not paid or refunded again,
 * the totals are true, and the file and its ledger are checked after every kill.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { runHere } from './commands.ts';
import { prepareLedger } from './prepared-ledger.ts';
import { call } from './rest-client.ts';
import { startServer } from './running-server.ts';

const GIVERS = 4;
const REQUESTS_AT_ONCE = 16;
/** The moment of a kill, counted from when enough tips have flowed. */
const LONGEST_LIFE_MS = 250;
const SENT_AGAIN = 10;
/** Every so many tips that were acknowledged one is refunded, by its giver and by its receiver in turn. */
const REFUNDED_EVERY = 4;

export interface KillOptions {
  readonly kills: number;
  /** How many tips are acknowledged at least, spread evenly over the kills. */
  readonly tips: number;
  /** After every so many kills, and after the last, the whole ledger is compared tip by tip. */
  readonly compareEvery: number;
  readonly report?: (line: string) => void;
}

export interface KillFigures {
  readonly kills: number;
  readonly acknowledged: number;
  readonly cutOff: number;
  /** Of these, how many had been recorded all the same. */
  readonly recordedUnanswered: number;
  readonly sentAgain: number;
  readonly refunds: number;
  readonly refundsCutOff: number;
  readonly ledgerChecks: number;
  readonly comparisons: number;
}

interface Tip {
  readonly key: string;
  readonly giver: number;
  readonly amount: number;
}

interface Recorded {
  readonly id: string;
  readonly giver_id: string;
  readonly amount: number;
  readonly net_amount: number;
  readonly status: 'completed' | 'refunded';
  readonly refunded_at: string | null;
  readonly refunded_by: 'giver' | 'receiver' | null;
  readonly undo_until: string | null;
}

/** What stays the same of a tip when it is refunded, and whoever sees it. */
function lasting({ status, refunded_at, refunded_by, undo_until, ...tip }: Recorded) {
  return tip;
}

/** @throws AssertionError when a guarantee does not hold. */
export async function killUnderLoad(options: KillOptions): Promise<KillFigures> {
  const { kills, tips, compareEvery, report = () => {} } = options;
  const usernames = ['pat', ...Array.from({ length: GIVERS }, (_, index) => `giver-${index}`)];
  const { path, people } = await prepareLedger(usernames);
  const [provider, ...givers] = people;
  assert.ok(provider);
  const { code, token: receiverToken } = provider;
  const env = { DATABASE_URL: path };
  let server = await startServer(env);

  const sent: Tip[] = [];
  const acknowledged = new Map<string, Recorded>();
  /**
   * The tips that were to be refunded, by the keys of their refunds, and the answers to those that were
   * acknowledged.
   */
  const refunds = new Map<string, { readonly tip: Tip; readonly isByGiver: boolean }>();
  const acknowledgedRefunds = new Map<string, Recorded>();
  const unexpected: unknown[] = [];
  const figures = {
    cutOff: 0,
    recordedUnanswered: 0,
    refundsCutOff: 0,
    sentAgain: 0,
    ledgerChecks: 0,
    comparisons: 0,
  };

  async function send({ key, giver, amount }: Tip): Promise<void> {
    const answer = await call<Recorded>(server, '/transactions', {
      token: givers[giver]?.token,
      body: { amount, receiver_qr_id: code, service_category: 'bartender' },
      key,
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const earlier = acknowledged.get(key);
    if (earlier)
      assert.deepEqual(
        lasting(answer.body),
        lasting(earlier),
        'a key that was sent again got another answer',
      );
    acknowledged.set(key, earlier ?? answer.body);
  }

  async function sendRefund(key: string): Promise<void> {
    const { tip, isByGiver } = refunds.get(key) ?? {};
    const { id } = (tip && acknowledged.get(tip.key)) ?? {};
    assert.ok(tip && id);
    const token = isByGiver ? givers[tip.giver]?.token : receiverToken;
    const answer = await call<Recorded>(server, `/transactions/${id}/refund`, { token, body: {}, key });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { status, refunded_by: refundedBy } = answer.body;
    assert.deepEqual([status, refundedBy], ['refunded', isByGiver ? 'giver' : 'receiver']);
    const earlier = acknowledgedRefunds.get(key);
    if (earlier) assert.deepEqual(answer.body, earlier, 'a refund that was sent again got another answer');
    acknowledgedRefunds.set(key, answer.body);
  }

  /** One client: a tip after the other, until the server is gone. */
  async function tipUntilKilled(isKilled: () => boolean): Promise<void> {
    while (!isKilled()) {
      const index = sent.length;
      const tip = { key: `key-${index}`, giver: index % GIVERS, amount: (1_000 + (index % 9_000)) / 100 };
      sent.push(tip);
      try {
        await send(tip);
        if (index % REFUNDED_EVERY === 0) {
          const key = `refund-${index}`;
          refunds.set(key, { tip, isByGiver: index % (2 * REFUNDED_EVERY) === 0 });
          await sendRefund(key);
        }
      } catch (error) {
        // Nothing but the loss of the connection may keep a tip from being acknowledged.
        if (!(isKilled() && error instanceof TypeError)) unexpected.push(error);
      }
    }
  }

  /** What the provider sees in the place of each giver's id, before and after each kill. */
  const pseudonyms = new Map<string, string>();
  const readLedger = async () =>
    (await call<Recorded[]>(server, '/transactions', { token: provider.token })).body;

  async function checkFile(): Promise<void> {
    const check = await runHere('db-check', env);
    assert.deepEqual({ code: check.code, stderr: check.stderr }, { code: 0, stderr: '' }, check.stdout);
    figures.ledgerChecks += 1;
  }

  for (let kill = 1; kill <= kills; kill += 1) {
    let isKilled = false;
    const load = Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, () => tipUntilKilled(() => isKilled)));
    while (acknowledged.size < (tips * kill) / kills && unexpected.length === 0) await sleep(5);
    await sleep(1 + Math.random() * LONGEST_LIFE_MS);
    isKilled = true;
    assert.equal((await server.stop('SIGKILL')).signal, 'SIGKILL', 'the server had ended before the kill');
    await load;
    assert.deepEqual(unexpected, []);

    await checkFile();
    server = await startServer(env);

    const isCompared = kill % compareEvery === 0 || kill === kills;
    const unanswered = sent.filter(({ key }) => !acknowledged.has(key));
    figures.cutOff += unanswered.length;
    if (isCompared) {
      const kept = await readLedger();
      const byId = new Map(kept.map((tip) => [tip.id, tip]));
      assert.equal(byId.size, kept.length, 'an id stands twice in the ledger');
      const lost = [...acknowledged.values()].filter(({ id }) => !byId.has(id));
      assert.deepEqual(lost, [], 'acknowledged tips are lost');
      for (const tip of acknowledged.values()) {
        const pseudonym = byId.get(tip.id)?.giver_id ?? '';
        const found = byId.get(tip.id);
        assert.ok(found);
        assert.deepEqual({ ...lasting(found), giver_id: tip.giver_id }, lasting(tip));
        assert.equal(pseudonyms.get(tip.giver_id) ?? pseudonym, pseudonym, 'a giver has two pseudonyms');
        pseudonyms.set(tip.giver_id, pseudonym);
      }
      for (const { id, ...refund } of acknowledgedRefunds.values()) {
        const found = byId.get(id);
        assert.deepEqual(
          [found?.status, found?.refunded_by, found?.refunded_at],
          [refund.status, refund.refunded_by, refund.refunded_at],
          'an acknowledged refund is lost or was made again',
        );
      }
      figures.recordedUnanswered += kept.length - acknowledged.size;
    }

    await Promise.all(unanswered.map(send));
    // Some that were acknowledged are sent again as well: the key is kept as surely as the tip.
    const again = sent.slice(-SENT_AGAIN);
    await Promise.all(again.map(send));
    const unansweredRefunds = [...refunds.keys()].filter((key) => !acknowledgedRefunds.has(key));
    figures.refundsCutOff += unansweredRefunds.length;
    await Promise.all(unansweredRefunds.map(sendRefund));
    const refundedAgain = [...refunds.keys()].slice(-SENT_AGAIN);
    await Promise.all(refundedAgain.map(sendRefund));
    figures.sentAgain += unanswered.length + again.length + unansweredRefunds.length + refundedAgain.length;

    if (isCompared) {
      const ledger = await readLedger();
      assert.equal(ledger.length, sent.length, 'the ledger has not every tip once');
      const ids = new Set(ledger.map(({ id }) => id));
      for (const { key, giver, amount } of sent) {
        const answer = acknowledged.get(key);
        assert.ok(answer && ids.delete(answer.id), `${key} is not in the ledger, or twice`);
        assert.deepEqual([answer.giver_id, answer.amount], [givers[giver]?.id, amount]);
      }
      assert.equal(ids.size, 0, 'the ledger has tips that nobody gave');
      const refunded = ledger.filter(({ status }) => status === 'refunded').map(({ id }) => id);
      const due = [...acknowledgedRefunds.values()].map(({ id }) => id);
      assert.deepEqual(refunded.sort(), due.sort(), 'the ledger has not every refund once');
      figures.comparisons += 1;
      report(
        `${kill} kills, ${acknowledged.size} tips and ${acknowledgedRefunds.size} refunds acknowledged, ${figures.cutOff + figures.refundsCutOff} cut off, 0 lost`,
      );
    }
  }
  // The kills really came in the middle of tips.
  assert.ok(figures.cutOff > 0, 'no kill met a tip');

  const inCents = (dollars: number) => Math.round(dollars * 100);
  const ledger = await readLedger();
  const sumOf = (tipsOf: readonly Recorded[], field: 'amount' | 'net_amount') =>
    tipsOf.filter(({ status }) => status === 'completed').reduce((sum, tip) => sum + inCents(tip[field]), 0);
  type Me = { total_tips_received: number; total_tips_given: number };
  const me = await call<Me>(server, '/auth/me', { token: provider.token });
  assert.equal(inCents(me.body.total_tips_received), sumOf(ledger, 'net_amount'));
  // The provider who read the ledger is not told who gave what; the answers to the givers are.
  const giverOf = new Map([...acknowledged.values()].map((tip) => [tip.id, tip.giver_id]));
  for (const { id, token } of givers) {
    const own = ledger.filter((tip) => giverOf.get(tip.id) === id);
    const { body } = await call<Me>(server, '/auth/me', { token });
    assert.equal(inCents(body.total_tips_given), sumOf(own, 'amount'));
  }

  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  await checkFile();
  return { kills, acknowledged: acknowledged.size, refunds: acknowledgedRefunds.size, ...figures };
}
