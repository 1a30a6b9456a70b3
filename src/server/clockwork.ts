/** What a running server does by the clock. What fails is told in the log, and tried again the next time. */
import type { Logger } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import type { App } from './app.ts';
import type { Care } from './backups.ts';
import type { Storage } from './storage/port/storage.ts';
import type { Troubles } from './troubles.ts';
import { createClockWatch, createGroundWatch, startLedgerChecks, watchForDamage } from './watches.ts';

export const TICK_INTERVAL_MS = 1_000;
/** A machine may have started with a wrong clock, and asks for the time within the first minutes. */
export const FIRST_SWEEP_DELAY_MS = 300_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const GROUND_CHECK_INTERVAL_MS = 60_000;
const PAYMENT_SWEEP_INTERVAL_MS = 60_000;

export function startClockwork(deps: {
  readonly app: App;
  readonly storage: Pick<Storage, 'checkGround' | 'checkRecent'>;
  readonly care: Pick<Care, 'start' | 'stop'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly troubles: Troubles;
}): () => void {
  const { app, storage, care, clock, log, troubles } = deps;
  const isOnGround = createGroundWatch({ storage, clock, log });
  const isClockSteady = createClockWatch(clock, log);

  const tick = () =>
    app.tick().catch((err: unknown) => log.warn({ err }, 'could not check the sessions of open streams'));
  const sweep = async () => {
    // It deletes for good what a clock that is ahead would take for expired.
    if (!isClockSteady() || !(await isOnGround())) return;
    await app.sweep().catch((err: unknown) => log.warn({ err }, 'could not delete what has expired'));
  };
  const sweepAndTell = () => {
    void sweep();
    app.tellProbes();
  };

  const everySecond = [tick, app.sendNotifications, app.tellWebhooks, app.sendMails];
  const timers = everySecond.map((act) => setInterval(() => void act(), TICK_INTERVAL_MS).unref());
  const checkGround = () => {
    isClockSteady();
    void isOnGround();
  };
  checkGround();
  timers.push(setInterval(checkGround, GROUND_CHECK_INTERVAL_MS).unref());
  timers.push(setTimeout(() => void sweep(), FIRST_SWEEP_DELAY_MS).unref());
  timers.push(setInterval(sweepAndTell, SWEEP_INTERVAL_MS).unref());
  care.start();
  const stopChecks = startLedgerChecks(storage, log, troubles);
  const stopWatch = watchForDamage(log, troubles);
  const stopPaymentSweeps = startPaymentSweeps(app, log);

  return () => {
    for (const timer of timers) clearTimeout(timer);
    care.stop();
    stopChecks();
    stopWatch();
    stopPaymentSweeps();
  };
}

function startPaymentSweeps(app: Pick<App, 'sweepPayments'>, log: Logger): () => void {
  let isStopped = false;
  let isRunning = false;
  const run = () => {
    // A sweep takes longer than a minute when the payment service does not answer.
    if (isRunning) return;
    isRunning = true;
    app
      .sweepPayments()
      .catch((err: unknown) => {
        if (!isStopped) log.warn({ err }, 'could not ask for payments of which nothing was heard');
      })
      .finally(() => {
        isRunning = false;
      });
  };
  run();
  const sweeping = setInterval(run, PAYMENT_SWEEP_INTERVAL_MS).unref();
  return () => {
    isStopped = true;
    clearInterval(sweeping);
  };
}
