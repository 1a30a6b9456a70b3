/** The part of the console about what operators did. */

export const auditProcedures = {};
