/** The part of the console about people, and what an operator may do for them. */

export const peopleProcedures = {};
