/**
 * The operator's commands, run by the function that main.ts runs them by. A process for each would take half
 * a second; that the program finds its commands, the settings and the terminal is told where it is started as
 * a process.
 */
import { careForAccount } from '#server/commands/account.ts';
import { announce } from '#server/commands/announce.ts';
import { readAuditLog } from '#server/commands/audit.ts';
import { careForCode } from '#server/commands/code.ts';
import { type Command, runCommand } from '#server/commands/command.ts';
import { backUpDatabase } from '#server/commands/db-backup.ts';
import { checkDatabase } from '#server/commands/db-check.ts';
import { moveDatabase } from '#server/commands/db-move.ts';
import { restoreDatabase } from '#server/commands/db-restore.ts';
import { tellFees } from '#server/commands/fees.ts';
import { invite } from '#server/commands/invite.ts';
import { testMail } from '#server/commands/mail.ts';
import { careForOperators } from '#server/commands/operator.ts';
import { careForPayments } from '#server/commands/payments.ts';
import { readReports } from '#server/commands/reports.ts';
import { changeTerms } from '#server/commands/terms.ts';
import { careForTip } from '#server/commands/tip.ts';
import type { Environment } from './running-server.ts';

const COMMANDS = {
  account: careForAccount,
  announce,
  audit: readAuditLog,
  code: careForCode,
  'db-backup': backUpDatabase,
  'db-check': checkDatabase,
  'db-move': moveDatabase,
  'db-restore': restoreDatabase,
  fees: tellFees,
  invite,
  mail: testMail,
  operator: careForOperators,
  payments: careForPayments,
  reports: readReports,
  terms: changeTerms,
  tip: careForTip,
} as const satisfies Readonly<Record<string, Command>>;

/** @param words those that follow the name of the command. */
export async function runHere(name: keyof typeof COMMANDS, env: Environment, words: readonly string[] = []) {
  const written = { stdout: '', stderr: '' };
  const code = await runCommand(COMMANDS[name], words, {
    readEnvironment: () => env,
    findActor: () => ({ kind: 'command', name: 'ops', host: 'bar' }),
    print: (text) => {
      written.stdout += text;
    },
    printError: (text) => {
      written.stderr += text;
    },
  });
  return { code, ...written };
}
