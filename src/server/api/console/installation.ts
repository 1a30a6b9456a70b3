/** The part of the console about terms, brand, registration, invitations and the announcement. */

export const installationProcedures = {};
