/** The part of the console about messages that were reported. */

export const reportProcedures = {};
