/**
 * The receiver as givers see it. A tip page with a name of its own reveals neither the account's names nor
 * its id, so that a person's services need not lead to each other.
 */
import type { QrCodeId, UserId } from './ids.ts';
import { pageUsername } from './usernames.ts';

interface CodeOfOwner {
  readonly id: QrCodeId;
  readonly userId: UserId;
  readonly username: string;
  readonly fullName: string;
  readonly displayName: string | null;
}

/** For a page with a name of its own, username and id are made from the code alone. */
export function shownReceiver({ id, userId, username, fullName, displayName }: CodeOfOwner) {
  if (displayName === null) return { userId, username, fullName };
  return { userId: pageUserId(id), username: pageUsername(id), fullName: displayName };
}

/** Has the form of a user id without being one: sixteen zeros have a chance of one in 10^24. */
function pageUserId(id: QrCodeId): UserId {
  return `usr_${'0'.repeat(16)}${id.toLowerCase()}` as UserId;
}
