/** The part of the console about what the house earned. */

export const feeProcedures = {};
