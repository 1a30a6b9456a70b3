/** What is wrong stands first, and what to do about it; below it, how the server does. It keeps itself up to date. */
import { Link } from 'wouter';
import type { HealthProblem, Health as HealthShown } from '#shared/console/health.ts';
import { consolePath } from '#shared/console/parts.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { consoleHooks, UNATTENDED } from '../console-api.ts';
import { CopyButton } from '../copy-button.tsx';
import { Fact, Facts } from '../facts.tsx';
import { Loaded } from '../loaded.tsx';
import { formatAge, formatBytes, formatCount } from '../quantities.ts';
import { When } from '../when.tsx';
import styles from './health.module.css';

const REFRESHED_EVERY_MS = 15_000;

export function Health() {
  const query = consoleHooks.health.read.useQuery(undefined, {
    refetchInterval: REFRESHED_EVERY_MS,
    trpc: { context: UNATTENDED },
  });
  return (
    <Loaded
      query={query}
      title="The server does not say how it is"
      advice={<p>See on the machine whether it runs, and what its log says.</p>}
    >
      {(health) => (
        <div className={styles.health}>
          <Verdict health={health} isOld={query.isError} />
          <div className={styles.sections}>
            <Server health={health} />
            <Ledger health={health} />
            <Storage health={health} />
            <Outboxes health={health} />
            <Facts title="Settings">
              {health.settings.map(({ name, value }) => (
                <Fact key={name} term={name}>
                  {value}
                </Fact>
              ))}
            </Facts>
          </div>
        </div>
      )}
    </Loaded>
  );
}

interface Part {
  readonly health: HealthShown;
}

/** @param isOld when the server did not answer the last time it was asked. */
function Verdict({ health: { problems, at }, isOld }: Part & { readonly isOld: boolean }) {
  const wrong = problems.filter(({ urgency }) => urgency !== 'note');
  const notes = problems.filter(({ urgency }) => urgency === 'note');
  return (
    <div className={styles.verdict} aria-live="polite">
      {isOld && (
        <p className={styles.wrong}>
          The server did not answer just now. What stands here is from <When at={at} />.
        </p>
      )}
      {wrong.length === 0 && (
        <p className={styles.calm}>
          Nothing is wrong.{' '}
          {/* It is read again every quarter of a minute, and nobody wants to hear each time. */}
          <span aria-live="off" className={styles.soft}>
            Checked {clockOf(at)}
          </span>
        </p>
      )}
      {wrong.length > 0 && (
        <ul className={styles.problems}>
          {wrong.map((problem) => (
            <Wrong key={problem.text} problem={problem} now={at} />
          ))}
        </ul>
      )}
      {notes.map(({ text }) => (
        <p key={text} className={styles.note}>
          {text}
        </p>
      ))}
    </div>
  );
}

function Wrong({ problem, now }: { readonly problem: HealthProblem; readonly now: string }) {
  const { urgency, text, action, since, part } = problem;
  return (
    <li className={styles.wrong} data-urgency={urgency}>
      <p>
        <strong>{text}</strong>
        {since !== null && (
          // Its age grows by the minute.
          <span aria-live="off" className={styles.since}>
            {' '}
            Since <When at={since} /> ({formatAge(since, now)})
          </span>
        )}
      </p>
      {action !== '' && <p>{action}</p>}
      {part !== null && (
        <Link className={styles.link} href={consolePath(part)}>
          {PARTS[part]}
        </Link>
      )}
    </li>
  );
}

const PARTS: Readonly<Record<NonNullable<HealthProblem['part']>, string>> = {
  backups: 'Open Backups',
  transactions: 'Open Transactions',
};

/** With seconds, so that one sees that it is up to date. */
function clockOf(at: string): string {
  return new Date(at).toLocaleTimeString(PAGE_LANGUAGE);
}

function Server({ health: { process, loop, streams, at } }: Part) {
  return (
    <Facts title="Server">
      <Fact term="Version">{process.version}</Fact>
      <Fact term="Started">
        <When at={process.startedAt} /> ({formatAge(process.startedAt, at)})
      </Fact>
      <Fact term="Process">
        {process.pid} on <bdi>{process.host}</bdi>, Node.js {process.node.slice(1)}
        {process.isShared && (
          <span className={styles.aside}>
            Several processes may run. Server, backups and disks are of this one; ledger, database and
            outboxes are shared.
          </span>
        )}
      </Fact>
      <Fact term="Memory">{formatBytes(process.memoryBytes)}</Fact>
      <Fact term="Event loop">
        {loop === null
          ? 'Known after a minute'
          : `${loop.p99Ms} ms late (99 of 100 turns), ${loop.longestMs} ms at most`}
      </Fact>
      <Fact term="Open pages">{formatCount(streams)} waiting for tips</Fact>
    </Facts>
  );
}

function Ledger({ health: { ledger, database, backup, at } }: Part) {
  const { checkedAt, addsUp, noted } = ledger;
  return (
    <Facts title="Ledger">
      <Fact term="Adds up">
        {addsUp === null || checkedAt === null
          ? 'Checked within a minute of the start'
          : `${addsUp ? 'Yes' : 'No'}, checked ${formatAge(checkedAt, at)}`}
      </Fact>
      <Fact term="Tips">{database ? formatCount(database.tips) : 'Unknown'}</Fact>
      <Fact term="Note to keep">
        {noted === null ? (
          backup.isListed ? (
            'There is none: it comes with a backup.'
          ) : (
            'Unknown'
          )
        ) : (
          <>
            <CopyButton text={noted.past} what="note" />
            <span className={styles.aside}>
              As of the backup of <When at={noted.at} />
            </span>
          </>
        )}
      </Fact>
    </Facts>
  );
}

function Storage({ health: { database, disks, backup, at } }: Part) {
  const { newestAt, failedAt } = backup;
  return (
    <Facts title="Data and backups">
      <Fact term="Database">
        {database ? `${database.engine}, ${formatBytes(database.bytes)}` : 'It does not answer.'}
      </Fact>
      <Fact term="Growth">
        {database?.growthBytesPerDay == null
          ? backup.isListed
            ? 'Known once there are backups of two days'
            : 'Unknown'
          : `${formatBytes(database.growthBytesPerDay)} a day`}
      </Fact>
      {disks.map(({ what, folder, freeBytes }) => (
        <Fact key={what} term={what === 'database' ? 'Free for data' : 'Free for backups'}>
          {formatBytes(freeBytes)}
          <span className={styles.aside}>{folder}</span>
        </Fact>
      ))}
      <Fact term="Newest backup">
        {newestAt === null ? spellMissing(backup) : <Age at={newestAt} now={at} />}
      </Fact>
      <Fact term="Last failure">
        {failedAt === null ? 'None since the last backup' : <Age at={failedAt} now={at} />}
      </Fact>
    </Facts>
  );
}

function spellMissing({ isMade, isListed }: HealthShown['backup']): string {
  if (!isListed) return 'The folder cannot be read.';
  return isMade ? 'None yet' : 'Not made by this process';
}

function Age({ at, now }: { readonly at: string; readonly now: string }) {
  return (
    <>
      {formatAge(at, now)} (<When at={at} />)
    </>
  );
}

const OUTBOXES = [
  ['mails', 'Mails'],
  ['payments', 'Payments'],
  ['notifications', 'Notifications'],
  ['webhooks', 'Webhooks'],
] as const;

function Outboxes({ health: { outboxes, at } }: Part) {
  return (
    <Facts title="Waiting to be sent">
      {OUTBOXES.map(([name, term]) => {
        const box = outboxes?.[name];
        return (
          <Fact key={name} term={term}>
            {box ? spellOutbox(box, at) : 'Unknown'}
          </Fact>
        );
      })}
    </Facts>
  );
}

function spellOutbox(
  { waiting, failing, oldestAt }: NonNullable<HealthShown['outboxes']>['mails'],
  at: string,
): string {
  if (waiting === 0) return 'None';
  const parts = [
    `${formatCount(waiting)} waiting`,
    failing > 0 && `${formatCount(failing)} failing`,
    oldestAt !== null && `the oldest from ${formatAge(oldestAt, at)}`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
