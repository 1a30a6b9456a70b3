/** The storage port for invitations. `Storage.createAccount` spends a use in its step. Tokens are stored as hashes. */
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

export interface InvitationStorage {
  add(invitation: Invitation & { readonly tokenHash: Uint8Array }, act?: Act): Promise<void>;
  /** An invitation with a use left that has not expired at `nowMs`; null without one. */
  find(tokenHash: Uint8Array, nowMs: number): Promise<Invitation | null>;
  /** Invitations that `find` accepts at `nowMs`, the first to expire first. */
  list(nowMs: number): Promise<Invitation[]>;
  /** Whether there was one that `list` names at `nowMs`: of one that was spent no row says that it was taken back. */
  revoke(id: string, nowMs: number, act?: Act): Promise<boolean>;
  forgetEnded(nowMs: number, atMost: number): Promise<number>;
}
