/** What an operator sees and changes of the installation: terms, invitations, the announcement, and settings. */
import { z } from 'zod';
import { email } from '../accounts.ts';
import type { InvitationId } from '../ids.ts';
import { MAX_INVITATION_DAYS, MAX_INVITATION_USES } from '../invitations.ts';
import type { Terms } from '../money.ts';
import type { RegistrationMode } from '../registration-mode.ts';

const time = z.iso.datetime({ offset: true });
const typed = (maxLength: number) => z.string().max(maxLength, 'This is too long.').optional();

/** What is to change of the terms, as it was typed; all else stays as it is when they begin to hold. */
export const askedTerms = z.object({
  /** In percent. */
  giverFee: typed(20),
  receiverFee: typed(20),
  min: typed(20),
  max: typed(20),
  /** Amounts with commas between them. */
  quick: typed(300),
  currency: typed(10),
  /** Undefined for as soon as can be. */
  from: time.optional(),
  /** The newest version that the operator has seen. */
  basedOn: z.int().nonnegative(),
  /** The version with which the form was filled, which may have been followed by one to come. */
  filledWith: z.int().nonnegative().optional(),
});
export type AskedTerms = z.infer<typeof askedTerms>;

/** `replaced` by a later version before its time came, or at the same moment. */
export type TermsState = 'past' | 'now' | 'to_come' | 'replaced';

export interface TermsVersion extends Terms {
  /** Null for the specified terms, which hold from the beginning. */
  readonly from: string | null;
  readonly state: TermsState;
  /** Whether it is the one that holds in a minute, when next ones can begin. */
  readonly holdsSoon: boolean;
}

export interface PaidAndKept {
  readonly paidCents: number;
  readonly keptCents: number;
}

export interface TermsPreview {
  readonly next: Terms;
  readonly from: string;
  readonly examples: readonly {
    readonly amountCents: number;
    /** By the terms that hold until then; null where their currency is another one. */
    readonly before: PaidAndKept | null;
    readonly after: PaidAndKept;
  }[];
  /** Versions to come that never hold any more once these are set. */
  readonly replaced: readonly { readonly version: number; readonly from: string }[];
}

function upTo(most: number) {
  const sentence = `Enter a whole number from 1 to ${most}.`;
  return z.int(sentence).min(1, sentence).max(most, sentence);
}

export const askedInvitation = z
  .object({
    email: email.nullable(),
    maxUses: upTo(MAX_INVITATION_USES),
    days: upTo(MAX_INVITATION_DAYS),
  })
  .refine(({ email, maxUses }) => email === null || maxUses === 1, {
    path: ['maxUses'],
    error: 'An invitation for one email makes one account.',
  });
export type AskedInvitation = z.infer<typeof askedInvitation>;

export const revokedInvitation = z.object({ id: z.string().max(40) });

export interface OpenInvitation {
  readonly id: InvitationId;
  /** In lower case; null for anybody who has the link. */
  readonly email: string | null;
  readonly maxUses: number;
  readonly usesLeft: number;
  readonly expiresAt: string;
}

const seenAnnouncement = z.object({ text: z.string(), from: time });

export const askedAnnouncement = z.object({
  text: z.string().max(2_000, 'This is too long.'),
  from: time.optional(),
  /** Undefined for one that stays until it is ended. */
  until: time.optional(),
  /** The one that the operator has seen, whose place it takes; null for none. Without it, whichever there is. */
  seen: seenAnnouncement.nullable().optional(),
});
export type AskedAnnouncement = z.infer<typeof askedAnnouncement>;

/** The announcement that the operator has seen; without it, whichever there is. */
export const endedAnnouncement = z.object({ seen: seenAnnouncement.optional() });

export interface PresentAnnouncement {
  readonly text: string;
  readonly from: string;
  readonly until: string | null;
  readonly state: 'past' | 'now' | 'to_come';
}

/** What is set outside of the console, and read when the server starts. */
export interface InstallationSettings {
  /** Where invitations lead, without a trailing slash. */
  readonly publicUrl: string;
  readonly isPaidByStripe: boolean;
  readonly registration: RegistrationMode;
  readonly maintenance: { readonly until: string | null } | null;
  readonly brand: {
    readonly name: string;
    readonly sentence: string;
    /** # with six hexadecimal digits; null for the colour of the product. */
    readonly colour: string | null;
    /** Where another shade is shown, because the colour has too little contrast. */
    readonly mended: readonly string[];
    readonly logo: string | null;
    readonly folder: string | null;
    readonly pages: readonly { readonly label: string; readonly path: string }[];
  };
}
