/**
 * The server's one program. It loads nothing before it has checked the version of Node.js, and nothing that names the
 * product before that name is settled.
 */
import type { Command } from './commands/command.ts';
import { refuseOldNode } from './old-node.js';

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  account: async () => (await import('./commands/account.ts')).careForAccount,
  announce: async () => (await import('./commands/announce.ts')).announce,
  audit: async () => (await import('./commands/audit.ts')).readAuditLog,
  code: async () => (await import('./commands/code.ts')).careForCode,
  'db-backup': async () => (await import('./commands/db-backup.ts')).backUpDatabase,
  'db-check': async () => (await import('./commands/db-check.ts')).checkDatabase,
  'db-keep-backups': async () => (await import('./commands/keep-backups.ts')).keepBackups,
  'db-move': async () => (await import('./commands/db-move.ts')).moveDatabase,
  'db-restore': async () => (await import('./commands/db-restore.ts')).restoreDatabase,
  fees: async () => (await import('./commands/fees.ts')).tellFees,
  invite: async () => (await import('./commands/invite.ts')).invite,
  mail: async () => (await import('./commands/mail.ts')).testMail,
  operator: async () => (await import('./commands/operator.ts')).careForOperators,
  payments: async () => (await import('./commands/payments.ts')).careForPayments,
  reports: async () => (await import('./commands/reports.ts')).readReports,
  terms: async () => (await import('./commands/terms.ts')).changeTerms,
  tip: async () => (await import('./commands/tip.ts')).careForTip,
};

async function main(name: string | undefined, words: readonly string[]): Promise<void> {
  process.setSourceMapsEnabled(true);
  const { readEnvironment } = await import('./config.ts');
  (await import('./brand/brand-settings.ts')).settleBrand(readEnvironment);
  if (name === undefined) return (await import('./serve.ts')).serve();
  if (name === '--version') {
    process.stdout.write(`${(await import('./version.ts')).NAME_AND_VERSION}\n`);
    return;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return (await import('./commands/command.ts')).runInThisProcess(await load(), words);
  const isHelp = name === '--help' || name === '-h';
  const usage = `Usage: main.js [${[...Object.keys(COMMANDS), '--version'].join(' | ')}]\n`;
  (isHelp ? process.stdout : process.stderr).write(usage);
  process.exitCode = isHelp ? 0 : 1;
}

refuseOldNode();
const [, , name, ...words] = process.argv;
void main(name, words);
