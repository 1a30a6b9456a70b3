/** The part of the console about what is wrong, and how the server does. */

export const healthProcedures = {};
