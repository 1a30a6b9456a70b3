/** The rows of the table of refusals (../refusals.ts) that only the operator's console has. */
export const CONSOLE_REFUSALS = {
  factor_needed: {
    status: 401,
    title: 'Second factor needed',
    detail: 'Show that it is still you: use your passkey, or enter a code.',
  },
  enrolment_needed: {
    status: 403,
    title: 'Enrolment needed',
    detail: 'Add a passkey, or a password with an authenticator app, first.',
  },
  last_way_in: {
    status: 409,
    title: 'Last way in',
    detail: 'This is your only way to log in. Add another passkey first.',
  },
  nothing_owed: {
    status: 409,
    title: 'Nothing owed',
    detail: 'Nothing is owed for this tip any more.',
  },
  debt_changed: {
    status: 409,
    title: 'Another sum',
    detail: 'Another sum is owed by now. Look at the tip again.',
  },
} as const;
