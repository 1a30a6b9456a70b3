/** Invitations to make an account, which work a number of times and days, for anybody or for one email. */
import { forgetInSteps } from '#server/storage/forget-in-steps.ts';
import type { Act, ActAbout } from '#server/storage/port/audit.ts';
import type { Invitation } from '#server/storage/port/invitations.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { emailKeyOf } from '#server/storage/rules/accounts.ts';
import { hashOfToken, newToken } from '#server/storage/rules/tokens.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { newInvitationId, type RandomBytes } from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import type { RegistrationMode } from '#shared/registration-mode.ts';

const FOR_ONE = 'An invitation for one email makes one account.';
const HAS_ACCOUNT = 'An account with this email already exists.';
const DAY_MS = 86_400_000;

export interface Invitations {
  /**
   * @returns the invitation and its token, which is stored nowhere.
   * @throws AppError `invalid_input` for several uses by one email, and for the email of an account.
   */
  invite(
    asked: {
      readonly email: string | null;
      readonly maxUses: number;
      readonly days: number;
    },
    act?: ActAbout,
  ): Promise<Invitation & { readonly token: string }>;
  /** Invitations that can still be used, by time of expiry. */
  list(): Promise<readonly Invitation[]>;
  /** Whether it could still be used, and cannot any more. */
  revoke(id: string, act?: Act): Promise<boolean>;
  /**
   * Whether somebody may make an account, before the costly hashing.
   * @returns the hash of the token to spend with it; null where none is needed.
   * @throws AppError `registration_closed`, `invitation_required`, `invitation_invalid`, `invitation_for_another`.
   */
  admit(person: {
    readonly email: string;
    readonly invitation?: string | undefined;
  }): Promise<Uint8Array | null>;
  sweep(): Promise<void>;
}

export function createInvitations({
  storage,
  clock,
  random,
  mode,
}: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly mode: RegistrationMode;
}): Invitations {
  const { invitations } = storage;
  return {
    async invite({ email, maxUses, days }, act) {
      if (email !== null && maxUses > 1) throw invalidField('maxUses', FOR_ONE);
      if (email !== null && (await storage.findCredentials(email))) throw invalidField('email', HAS_ACCOUNT);
      const token = newToken(random);
      const invitation = {
        id: newInvitationId(random),
        emailKey: email === null ? null : emailKeyOf(email),
        maxUses,
        usesLeft: maxUses,
        expiresAtMs: clock() + days * DAY_MS,
      };
      await invitations.add({ ...invitation, tokenHash: hashOfToken(token) }, act?.(invitation.id));
      return { ...invitation, token };
    },

    list: () => invitations.list(clock()),
    revoke: (id, act) => invitations.revoke(id, clock(), act),

    async admit({ email, invitation }) {
      if (mode === 'closed') throw new AppError('registration_closed');
      if (mode === 'open') return null;
      if (invitation === undefined) throw new AppError('invitation_required');
      const tokenHash = hashOfToken(invitation);
      const found = await invitations.find(tokenHash, clock());
      if (!found) throw new AppError('invitation_invalid');
      if (found.emailKey !== null && found.emailKey !== emailKeyOf(email))
        throw new AppError('invitation_for_another');
      return tokenHash;
    },

    sweep: async () => {
      const nowMs = clock();
      await forgetInSteps((atMost) => invitations.forgetEnded(nowMs, atMost));
    },
  };
}
