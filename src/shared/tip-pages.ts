/**
 * Whom givers see behind a code. A tip page with a name of its own tells neither the account's names nor its id, so that a person's
 * services need not lead to each other.
 */
import type { QrCodeId, UserId } from './ids.ts';
import { pageUsername } from './usernames.ts';

/** A code and its owner, as the storage tells them. */
interface CodeOfOwner {
  readonly id: QrCodeId;
  readonly userId: UserId;
  readonly username: string;
  readonly fullName: string;
  /** The name on the tip page; null when it has none of its own. */
  readonly displayName: string | null;
}

/** What givers see: of a page with a name of its own, a username and an id that are made of the code alone. */
export function shownReceiver({ id, userId, username, fullName, displayName }: CodeOfOwner) {
  if (displayName === null) return { userId, username, fullName };
  return { userId: pageUserId(id), username: pageUsername(id), fullName: displayName };
}

/** Has the form of a user's id, and is none: the sixteen zeros have a chance of one in 10^24. */
function pageUserId(id: QrCodeId): UserId {
  return `usr_${'0'.repeat(16)}${id.toLowerCase()}` as UserId;
}
