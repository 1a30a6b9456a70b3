/** The router of the operator's console. Nothing of it is served by another door. */
import { auditProcedures } from './audit.ts';
import { backupProcedures } from './backups.ts';
import { codeProcedures } from './codes.ts';
import { router } from './console-trpc.ts';
import { enrolmentProcedures, factorProcedures } from './factors.ts';
import { feeProcedures } from './fees.ts';
import { healthProcedures } from './health.ts';
import { installationProcedures } from './installation.ts';
import { peopleProcedures } from './people.ts';
import { reportProcedures } from './reports.ts';
import { sessionProcedures } from './session.ts';
import { transactionProcedures } from './transactions.ts';

export const consoleRouter = router({
  session: sessionProcedures,
  enrolment: enrolmentProcedures,
  factors: factorProcedures,
  health: healthProcedures,
  people: peopleProcedures,
  reports: reportProcedures,
  transactions: transactionProcedures,
  codes: codeProcedures,
  installation: installationProcedures,
  fees: feeProcedures,
  backups: backupProcedures,
  audit: auditProcedures,
});
export type ConsoleRouter = typeof consoleRouter;
