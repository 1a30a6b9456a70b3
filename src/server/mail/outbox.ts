/** Sends the outbox. Whatever happens, even a kill, a mail is sent later under the same Message-ID, for two days. */
import type { Logger } from 'pino';
import { createJitter } from '#server/queue/jitter.ts';
import { createPasses } from '#server/queue/passes.ts';
import { forgetInSteps } from '#server/storage/forget-in-steps.ts';
import type { ClaimedMail } from '#server/storage/port/mails.ts';
import { CLOCKS_APART_MS, MOST_TRIES_AWAY } from '#server/storage/port/outboxes.ts';
import { type Storage, StorageUnavailable } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { MailId, RandomBytes } from '#shared/ids.ts';
import { htmlOf, type Letter, type Letterhead, PLAIN_LETTERHEAD, textOf } from './letter.ts';
import { JUDGING_MS, type Relay, type RelayOutcome, SENDING_MS } from './relay.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than writing and sending may take. */
const LEASE_MS = SENDING_MS + JUDGING_MS + MINUTE_MS / 2 + CLOCKS_APART_MS;
const AT_ONCE = 4;
/** Growing pauses, which leave a mail some fifteen tries in two days. */
const RETRY_MS = [
  MINUTE_MS / 2,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS / 2,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
] as const;
const LONGEST_RETRY_MS = 6 * HOUR_MS;
const JITTER = 0.2;
const MAX_WAIT_MS = LONGEST_RETRY_MS * (1 + JITTER);
const PATIENCE_MS = 48 * HOUR_MS;
/** One that still waits when a sweep should have taken it waited while no server ran. */
const OUTDATED_MS = PATIENCE_MS + HOUR_MS;
/** The first rest of a mail server that took no mail at all. */
const REST_MS = 20_000;
const LONGEST_REST_MS = 5 * MINUTE_MS;

export interface Outbox {
  /** Call it every second. @returns when everything begun by then has ended. Never throws. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

/** Null for a mail that must not, or need not, be sent any more. */
export type WriteLetter = (
  mail: ClaimedMail,
) => Promise<{ readonly recipient: string; readonly letter: Letter } | null>;

export function createOutbox(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly relay: Relay;
  readonly write: WriteLetter;
  readonly letterhead?: Letterhead;
}): Outbox {
  const { clock, random, log, relay, write, letterhead = PLAIN_LETTERHEAD } = deps;
  const { isShared, mails } = deps.storage;
  const jittered = createJitter(random, JITTER);
  const passes = createPasses();
  /** Mails that a server took and whose rows could not be removed then. */
  const unsettled = new Set<MailId>();
  let areClaimsKnown = false;
  let isOutageTold = false;
  const rests = createRests();

  async function claim(nowMs: number): Promise<void> {
    if (!areClaimsKnown) {
      // No other process has this data, so each claim is that of an ended process.
      if (!isShared) await mails.endClaims();
      areClaimsKnown = true;
    }
    if (passes.isClosed || rests.isResting(nowMs)) return;
    // After a rest one mail tries the server for all.
    const atMost = (rests.hasRested() ? 1 : AT_ONCE) - passes.underWayCount();
    if (atMost <= 0) return;
    const due = { nowMs, leaseMs: LEASE_MS, maxWaitMs: MAX_WAIT_MS, atMost };
    for (const mail of await mails.claimDue(due)) begin(mail);
  }

  /** An outage is told once, and not at every pass of it. */
  async function look(): Promise<void> {
    try {
      await claim(clock());
      isOutageTold = false;
    } catch (err) {
      if (!isOutageTold) log.warn({ err }, 'could not look for mails to send');
      isOutageTold = true;
    }
  }

  function begin(mail: ClaimedMail): void {
    const told = (err: unknown) => log.warn({ err, mail: mail.id, kind: mail.kind }, 'could not send a mail');
    const sending = send(mail).catch(async (err: unknown) => {
      told(err);
      // One that a server took only has to be removed, and a storage that failed says nothing of a mail.
      if (!unsettled.has(mail.id) && !(err instanceof StorageUnavailable)) await putOff(mail);
    });
    passes.begin(sending.catch(told));
  }

  /** A mail that cannot be written must not be tried again and again, nor be kept for ever. */
  async function putOff(mail: ClaimedMail): Promise<void> {
    const nowMs = clock();
    if (isOld(mail, nowMs)) await mails.finish(mail, { outcome: 'dropped' });
    else await postpone(mail, nowMs + jittered(pauseOf(mail)), mail.tries + 1);
  }

  /** The last try is when two days are over, however long the pause before it would be. */
  async function postpone(mail: ClaimedMail, nextTryMs: number, tries: number): Promise<void> {
    await mails.postpone(mail, { nextTryMs: Math.min(nextTryMs, mail.createdAtMs + PATIENCE_MS), tries });
  }

  async function send(mail: ClaimedMail): Promise<void> {
    if (unsettled.has(mail.id)) {
      await finishSent(mail);
      return;
    }
    const isOutdated = clock() >= mail.createdAtMs + OUTDATED_MS;
    const written = isOutdated ? null : await write(mail);
    if (written === null) {
      if (isOutdated) tellForgotten(log, 1);
      await mails.finish(mail, { outcome: 'dropped' });
      return;
    }
    const { recipient, letter } = written;
    const outcome = await relay.send({
      messageId: `<${mail.id}@${relay.domain}>`,
      recipient,
      atMs: mail.createdAtMs,
      subject: letter.subject,
      text: textOf(letter, letterhead),
      html: htmlOf(letter, letterhead),
      logo: letterhead.logo,
      unsubscribeUrl: letter.unsubscribeUrl ?? null,
    });
    await note(mail, outcome);
  }

  async function finishSent(mail: ClaimedMail): Promise<void> {
    await mails.finish(mail, { outcome: 'sent' });
    unsettled.delete(mail.id);
  }

  async function note(mail: ClaimedMail, result: RelayOutcome): Promise<void> {
    const nowMs = clock();
    const { id, kind } = mail;
    const isJudged = !['unreachable', 'unanswered'].includes(result.outcome);
    if (isJudged) rests.end();
    if (result.outcome === 'sent') {
      unsettled.add(id);
      await finishSent(mail);
      log.info({ mail: id, kind }, 'sent a mail');
      return;
    }
    const { reason, reply } = result;
    if (passes.isClosed && !isJudged) {
      await mails.postpone(mail, { nextTryMs: nowMs, tries: mail.tries });
      return;
    }
    if (result.outcome === 'refused' || isOld(mail, nowMs)) {
      log.warn({ mail: id, kind, reason }, 'a mail was refused');
      await mails.finish(
        mail,
        isJudged
          ? { outcome: 'refused', refusal: reply === '' ? reason : reply, atMs: nowMs }
          : { outcome: 'dropped' },
      );
      return;
    }
    const isAway = result.outcome === 'unreachable';
    if (isAway) rests.begin(nowMs);
    const tries = Math.max(mail.tries, isAway ? Math.min(mail.tries + 1, MOST_TRIES_AWAY) : mail.tries + 1);
    log.warn({ mail: id, kind, reason, tries }, 'a mail did not get through');
    const pauseMs = pauseOf(mail);
    const waitMs = jittered(isAway ? Math.min(pauseMs, LONGEST_REST_MS) : pauseMs);
    await postpone(mail, nowMs + waitMs, tries);
  }

  return {
    pass: () => passes.pass(look),
    close: () => passes.close(() => relay.close()),
  };
}

/** Forgets mails that nobody has sent in two days, also where no mail is sent any more. Call it every hour. */
export async function forgetOutdatedMails(
  { mails }: Pick<Storage, 'mails'>,
  clock: Clock,
  log: Logger,
): Promise<void> {
  const nowMs = clock();
  const untilMs = nowMs - PATIENCE_MS;
  const count = await forgetInSteps((atMost) => mails.forgetOutdated({ nowMs, untilMs, atMost }));
  if (count > 0) tellForgotten(log, count);
}

function tellForgotten(log: Logger, mails: number): void {
  log.warn({ mails }, 'mails were forgotten that nobody sent in two days');
}

/** The rests of a mail server that is away, each twice as long as the one before. */
function createRests() {
  /** The length of the last rest; 0 since the server judged a mail. */
  let lengthMs = 0;
  let untilMs = 0;
  // A rest that ends later was begun before the clock was turned back.
  const isResting = (nowMs: number) => nowMs < untilMs && untilMs <= nowMs + LONGEST_REST_MS;
  return {
    isResting,
    /** Whether no mail was judged since the last rest began. */
    hasRested: () => lengthMs > 0,
    begin(nowMs: number): void {
      if (isResting(nowMs)) return;
      lengthMs = Math.min(Math.max(REST_MS, 2 * lengthMs), LONGEST_REST_MS);
      untilMs = nowMs + lengthMs;
    },
    end(): void {
      lengthMs = 0;
    },
  };
}

const isOld = ({ createdAtMs }: ClaimedMail, nowMs: number): boolean => nowMs >= createdAtMs + PATIENCE_MS;

const pauseOf = ({ tries }: ClaimedMail): number => RETRY_MS[tries] ?? LONGEST_RETRY_MS;
