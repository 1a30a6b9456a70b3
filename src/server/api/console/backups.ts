/** The part of the console about the backups of this process. */
import { backups, madeBackup } from '#shared/console/backups.ts';
import { notedProcedure, operatorProcedure, router } from './console-trpc.ts';

export const backupProcedures = router({
  read: operatorProcedure.output(backups).query(({ ctx: { services } }) => services.upkeep.backups.read()),

  /** The audit log says that a backup was asked for; `read` tells its outcome. */
  make: notedProcedure.output(madeBackup).mutation(async ({ ctx: { services, act } }) => {
    const { upkeep, storage } = services;
    const state = upkeep.backups.state();
    if (state !== 'free') return { outcome: state };
    await storage.audit.note(act('backup_made'));
    return { outcome: upkeep.backups.begin() };
  }),
});
