/** The part of the console about backups. */

export const backupProcedures = {};
