/**
 * The alert rules of deploy/ against what they are about: each condition is caused at a real server, seen at a
 * receiver behind Prometheus and Alertmanager, ended, and seen to be over. All of them at once, each at a
 * server of its own, so that an alert of somebody else's trouble is found too.
 */
import { startPostgres } from '#tests/support/postgres-server.ts';
import { type Condition, openConditions } from './conditions.ts';
import { type Alerting, startAlerting, TIMES_SHORTER } from './prometheus.ts';

/** The next look at the backups comes after ten minutes, and Alertmanager has to hear of it. */
const PATIENCE_MS = 15 * 60_000;
/** On a machine with other work the event loops of all servers may be late. */
const OF_THE_MACHINE = 'TipwellSlow';

type Report = (line: string) => void;
type Figures = Readonly<Record<string, string | number>>;

/** @returns the seconds of each, and what did not hold. */
export async function causeAlerts(report: Report): Promise<{ figures: Figures; violations: string[] }> {
  const postgres = await startPostgres();
  const conditions = await openConditions(postgres);
  report(`${conditions.length} servers; the times of the rules are ${TIMES_SHORTER} times shorter`);
  const alerting = await startAlerting(conditions.map(({ site }) => site.instance));
  try {
    const ended = await Promise.allSettled(
      conditions.map((condition) => follow(condition, alerting, report)),
    );
    const failures = ended.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    const figures = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    return {
      figures: Object.fromEntries(figures),
      violations: [...failures, ...strays(conditions, alerting)],
    };
  } finally {
    await alerting.stop();
    await Promise.all(conditions.map((condition) => condition.close?.()));
    for (const { site } of conditions) await site.stop('SIGKILL');
    await postgres.stop();
  }
}

async function follow(
  { what, alerts, site, begin, end }: Condition,
  alerting: Alerting,
  report: Report,
): Promise<[string, string][]> {
  const timed = async (cause: () => Promise<void>, status: 'firing' | 'resolved') => {
    const startedAt = performance.now();
    await cause();
    return Promise.all(
      alerts.map(async (alert) => {
        await alerting.waitFor(alert, site.instance, status, PATIENCE_MS);
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        report(`${alert}: ${what}: ${status} after ${seconds} s`);
        return seconds;
      }),
    );
  };
  const firing = await timed(begin, 'firing');
  const resolved = await timed(end, 'resolved');
  return alerts.map((alert, index) => [
    `${alert}, ${what}`,
    `firing after ${firing[index]} s, resolved after ${resolved[index]} s`,
  ]);
}

/** Alerts of servers to which something else was done. */
function strays(conditions: readonly Condition[], alerting: Alerting): string[] {
  const due = new Set(
    conditions.flatMap(({ alerts, site }) => alerts.map((alert) => `${alert} at ${site.instance}`)),
  );
  const others = [...alerting.fired()].filter((one) => !due.has(one) && !one.startsWith(OF_THE_MACHINE));
  return others.map((one) => {
    const { what } = conditions.find(({ site }) => one.endsWith(site.instance)) ?? {};
    return `${one}, where ${what}`;
  });
}
