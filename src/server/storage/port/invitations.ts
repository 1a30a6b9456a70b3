/**
 * The storage port for invitations. A use is spent in the step that creates the account
 * (`Storage.createAccount`). Tokens are stored as hashes.
 */
import type { InvitationId } from '#shared/ids.ts';
import type { Act } from './audit.ts';

export interface Invitation {
  readonly id: InvitationId;
  /** The only email that may use it, in lower case; null for any. */
  readonly emailKey: string | null;
  readonly maxUses: number;
  readonly usesLeft: number;
  readonly expiresAtMs: number;
}

export interface Invitations {
  add(invitation: Invitation & { readonly tokenHash: Uint8Array }, act?: Act): Promise<void>;
  /** An invitation with a use left that has not expired at `nowMs`; null without one. */
  find(tokenHash: Uint8Array, nowMs: number): Promise<Invitation | null>;
  /** Invitations that `find` accepts at `nowMs`, the first to expire first. */
  list(nowMs: number): Promise<Invitation[]>;
  /** @returns false for an unknown id. */
  revoke(id: string, act?: Act): Promise<boolean>;
  /** Deletes invitations that are spent or expired at `nowMs`, at most `atMost`. @returns how many. */
  forgetEnded(nowMs: number, atMost: number): Promise<number>;
}
