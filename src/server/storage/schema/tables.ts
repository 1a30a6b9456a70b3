/** All tables, none before those that its rows refer to, so that an empty database can take in their rows in this order. */
import * as accounts from './accounts.ts';
import * as codes from './codes.ts';
import * as devices from './devices.ts';
import * as ledger from './ledger.ts';
import * as payments from './payments.ts';
import * as words from './words.ts';

export const TABLES = [
  accounts.accounts,
  accounts.formerUsernames,
  accounts.closedUsernames,
  accounts.providerCategories,
  accounts.sessions,
  accounts.secrets,
  accounts.attempts,
  codes.photos,
  codes.qrCodes,
  codes.qrPictures,
  payments.payoutAccounts,
  payments.paymentNotices,
  // The ledger takes in a tip that was paid only where its payment is.
  payments.payments,
  ledger.transactions,
  ledger.reversals,
  ledger.entries,
  ledger.tipBuckets,
  ledger.checkedAccounts,
  ledger.checkpoints,
  words.tipWords,
  words.blockedGivers,
  words.readyThankYous,
  devices.pushDevices,
] as const;
