/** What is wrong, for somebody who was woken up. The bounds are those of the alert rules in deploy/. */
import { inUtc } from '#server/setting-forms.ts';
import type { Trouble } from '#server/troubles.ts';
import { isoTime } from '#shared/calendar.ts';
import { spellAmount } from '#shared/console/fee-csv.ts';
import type { Health, HealthProblem, PaymentSigns } from '#shared/console/health.ts';
import { URGENCIES } from '#shared/console/health.ts';
import { counted } from '#shared/counted.ts';

const MINUTE_MS = 60_000;
const UNCHECKED_MS = 15 * MINUTE_MS;
const STUCK_MS = 30 * MINUTE_MS;
/** Of mails that nobody has tried: none waits for so long while they are sent. */
const UNTRIED_MS = 60 * MINUTE_MS;
const SLOW_LOOP_MS = 250;
const LITTLE_ROOM_BYTES = 1_000_000_000;

interface Words extends Pick<HealthProblem, 'urgency' | 'text' | 'action'> {
  readonly part?: HealthProblem['part'];
}

/** `explainFailure` says more about a failed backup. */
const TROUBLES: Readonly<Record<Trouble, Words>> = {
  ledger: {
    urgency: 'now',
    text: 'The ledger does not add up.',
    action: 'Stop the server and run npm run db:check on the machine. The log says which entries are wrong.',
  },
  data: {
    urgency: 'now',
    text: 'Some of the data is damaged or could not be read.',
    action: 'Run npm run db:check on the machine. Keep all backups, and get help before you restore one.',
  },
  backup: {
    urgency: 'soon',
    text: 'The last backup failed.',
    action: 'Backups says why, and what to do.',
    part: 'backups',
  },
  late: {
    urgency: 'soon',
    text: 'The newest backup is more than 26 hours old.',
    action: 'Make one under Backups.',
    part: 'backups',
  },
  past: {
    urgency: 'soon',
    text: 'The folder of the backups has backups of another database.',
    action:
      'See which under Backups, and move them elsewhere. Is DATABASE_URL right, and is its disk mounted?',
    part: 'backups',
  },
  unanswered: {
    urgency: 'now',
    text: 'Stripe does not answer, or refuses the key: payments may be failing.',
    action: 'See what the log says, and whether Stripe has an outage. A new key goes into STRIPE_SECRET_KEY.',
  },
  pages: {
    urgency: 'now',
    text: 'Stripe refuses to begin payments: nobody may be able to tip.',
    action:
      'See in the log why. The key may lack a permission (docs/payments.md), your account at Stripe may be ' +
      'restricted, or a tip be less than Stripe takes. It ends with the next payment that begins.',
  },
  unheard: {
    urgency: 'soon',
    text: 'Payments or accounts changed at Stripe, and Stripe did not tell this server.',
    action:
      'See in the log which (ofPayments, ofAccounts). Look at the endpoints in the Stripe dashboard, all three ' +
      '(docs/payments.md): their addresses and events, and whether they are switched on.',
  },
  owed: {
    urgency: 'soon',
    text: 'A provider still has money that went back to a customer.',
    action: 'The server tries again every day. Transactions says who owes what.',
    part: 'transactions',
  },
  unreturned: {
    urgency: 'soon',
    text: 'A refund did not reach its customer.',
    action:
      'You have the money. Pay the customer in another way, then mark it as settled under Transactions.',
    part: 'transactions',
  },
  undelivered: {
    urgency: 'soon',
    text: 'A provider does not have the money of a won dispute.',
    action:
      'The server tries again every day. See under Transactions whose it is, and whether your account at Stripe has money.',
    part: 'transactions',
  },
  dispute: {
    urgency: 'soon',
    text: 'A customer disputes a payment.',
    action: 'Answer in the Stripe dashboard. Without an answer the money is lost.',
    part: 'transactions',
  },
  unknown: {
    urgency: 'soon',
    text: 'A payment at Stripe is not in the database.',
    action: 'Run npm run payments -- reconcile on the machine: it names the payment. Refund it at Stripe.',
  },
  uncaptured: {
    urgency: 'soon',
    text: 'A tip was not charged in time.',
    action:
      'See whether Stripe has an outage, and what the log says. A card holds the money for some days only.',
    part: 'transactions',
  },
  clock: {
    urgency: 'soon',
    text: 'The clock of this machine is not that of Stripe.',
    action:
      'Set the clock: timedatectl should say that it is synchronized. Stripe’s messages are refused else.',
  },
};

/** The first sentence about a trouble of payments with its present numbers; null for other troubles. */
function textOf(trouble: Trouble, signs: PaymentSigns): string | null {
  const money = (value: number) => `${spellAmount(value, signs.exponent)} ${signs.currency}`;
  const { owedByReceivers, owedToGivers, owedToReceivers, disputes, uncaptured, unknown, clockOffsetMs } =
    signs;
  switch (trouble) {
    case 'owed':
      return `${money(owedByReceivers.cents)} went back to customers, and providers still have their part of it.`;
    case 'unreturned':
      return `Refunds of ${money(owedToGivers.cents)} did not reach their customers.`;
    case 'undelivered':
      return `Disputes over ${money(owedToReceivers.cents)} were won, and providers do not have their part of it.`;
    case 'dispute':
      return `${counted(disputes.count, 'payment is', 'payments are')} disputed.${disputes.answerBy === null ? '' : ` Answer by ${inUtc(Date.parse(disputes.answerBy))}.`}`;
    case 'unknown':
      return `${counted(unknown, 'payment', 'payments')} at Stripe ${unknown === 1 ? 'is' : 'are'} not in the database.`;
    case 'uncaptured':
      return `${counted(uncaptured, 'tip was', 'tips were')} not charged in time.`;
    case 'clock':
      return clockOffsetMs === null
        ? null
        : `The clock of this machine is ${counted(Math.round(Math.abs(clockOffsetMs) / 1_000), 'second')} ${clockOffsetMs > 0 ? 'behind' : 'ahead of'} Stripe’s.`;
    default:
      return null;
  }
}

export interface Signs {
  /** Why nothing can be saved; null while a tip could be recorded. */
  readonly unwritable: string | null;
  readonly troubles: ReadonlyMap<Trouble, number>;
  readonly backupFailure: { readonly text: string; readonly action: string } | null;
  readonly isMaintained: boolean;
  readonly warnings: readonly string[];
}

/** @returns the most urgent first. */
export function problemsOf(health: Omit<Health, 'problems'>, signs: Signs): HealthProblem[] {
  const found: (Words & { readonly sinceMs?: number })[] = [];
  const nowMs = Date.parse(health.at);
  if (health.database === null)
    found.push({
      urgency: 'now',
      text: 'The database does not answer.',
      action: 'See whether it runs and has room on its disk. The log says what went wrong.',
    });
  else if (signs.unwritable !== null)
    found.push({
      urgency: 'now',
      text: 'Nothing can be saved: tips are refused.',
      action: `Look at the disk of the database, and at the log. It said: ${signs.unwritable}`,
    });
  for (const [trouble, sinceMs] of signs.troubles) {
    const words = TROUBLES[trouble];
    const text = (health.payments && textOf(trouble, health.payments)) ?? words.text;
    found.push({ ...words, text, ...(trouble === 'backup' && signs.backupFailure), sinceMs });
  }
  const { checkedAt, addsUp } = health.ledger;
  const checkedAtMs = Date.parse(checkedAt ?? health.process.startedAt);
  if (addsUp !== false && nowMs - checkedAtMs > UNCHECKED_MS)
    found.push({
      urgency: 'now',
      text: 'The ledger was not checked for 15 minutes.',
      action: 'The log says what kept the server from it.',
      sinceMs: checkedAtMs,
    });
  found.push(...stuckIn(health, signs.isMaintained, nowMs), ...roomIn(health));
  if (health.loop && health.loop.p99Ms > SLOW_LOOP_MS)
    found.push({
      urgency: 'soon',
      text: 'The server is slow: requests wait for its processor.',
      action: 'See what else runs on the machine, and docs/scaling.md.',
    });
  if (!health.backup.isMade && !health.process.isShared)
    found.push({
      urgency: 'soon',
      text: 'This server makes no backups.',
      action: 'Set BACKUP_FOLDER, unless something else makes them.',
      part: 'backups',
    });
  const restricted = health.payments?.restricted ?? 0;
  if (restricted > 0)
    found.push({
      urgency: 'note',
      text: `Stripe has restricted the accounts of ${counted(restricted, 'provider who was', 'providers who were')} paid before. Stripe’s dashboard says which, and their owners read what is missing under Get Paid.`,
      action: '',
    });
  if (signs.isMaintained)
    found.push({ urgency: 'note', text: 'Maintenance is on: tips and refunds are paused.', action: '' });
  for (const warning of signs.warnings.filter((text) => !text.startsWith('MAINTENANCE')))
    found.push({ urgency: 'note', text: warning, action: '' });
  return found
    .map(({ sinceMs, part = null, ...words }) => ({
      ...words,
      part,
      since: sinceMs === undefined ? null : isoTime(sinceMs),
    }))
    .sort((a, b) => URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency));
}

/** Webhooks and notifications are their owners' affair, who are told. */
function stuckIn({ outboxes }: Omit<Health, 'problems'>, isMaintained: boolean, nowMs: number) {
  return (
    [
      [
        'mails',
        (failing: number) =>
          failing === 0
            ? 'Mails are not getting through.'
            : `${counted(failing, 'mail is', 'mails are')} not getting through.`,
        'Run npm run mail -- test ADDRESS on the machine: it says what the mail server answers. ' +
          'If that arrives, the log says why others do not, such as full mailboxes (docs/mail.md).',
      ],
      [
        'payments',
        () => 'Payments are waiting for Stripe.',
        'See whether Stripe has an outage, and what the log says of it.',
      ],
    ] as const
  ).flatMap(([name, textOf, action]) => {
    const { failing = 0, oldestAt = null } = outboxes?.[name] ?? {};
    // No payment is asked about during maintenance.
    if (name === 'payments' && isMaintained) return [];
    if (oldestAt === null || (failing === 0 && name !== 'mails')) return [];
    if (nowMs - Date.parse(oldestAt) < (failing > 0 ? STUCK_MS : UNTRIED_MS)) return [];
    return [{ urgency: 'soon' as const, text: textOf(failing), action, sinceMs: Date.parse(oldestAt) }];
  });
}

/** A backup needs as much room as the database. */
function roomIn({ disks, database }: Omit<Health, 'problems'>) {
  const needed = Math.max(LITTLE_ROOM_BYTES, database?.bytes ?? 0);
  return disks
    .filter(({ freeBytes }) => freeBytes < needed)
    .map(({ what, folder }) => ({
      urgency: 'soon' as const,
      text: `The disk of the ${what} is almost full.`,
      action: `Make room on the disk of ${folder}.`,
    }));
}
