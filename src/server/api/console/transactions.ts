/** The part of the console about tips and payments. */

export const transactionProcedures = {};
