/** The part of the console about QR codes. */

export const codeProcedures = {};
