/** Finding people, and what an operator sees of one of them. */
import { z } from 'zod';
import type { ServiceCategory } from '../categories.ts';
import type { QrCodeId, UserId } from '../ids.ts';
import type { PaymentMode } from '../payments.ts';
import type { QrCodeStatus } from '../qr-codes.ts';
import type { AccountState } from './parties.ts';

const MAX_TYPED = 300;

export const peopleQuery = z.object({
  text: z.string().trim().min(1, 'Type something to look for.').max(MAX_TYPED),
});
export const personQuery = z.object({ id: z.string().max(100) });

export interface FoundPerson {
  readonly id: string;
  readonly fullName: string;
  readonly username: string;
  readonly email: string;
  readonly state: AccountState;
  /** Which of the two people of a tip, where a tip was looked for; or that a code is theirs. */
  readonly as: 'giver' | 'receiver' | 'owner' | null;
}

export interface FoundPeople {
  readonly people: readonly FoundPerson[];
  /** False when there may be more: too many were found, or too many accounts to look at each. */
  readonly isComplete: boolean;
}

export interface PersonTip {
  readonly id: string;
  readonly at: string;
  readonly direction: 'received' | 'given';
  readonly amountCents: number;
  readonly serviceCategory: ServiceCategory;
  readonly isRefunded: boolean;
}

/** What an operator needs to know of somebody: no message, no phone number, no secret. */
export interface Person {
  readonly id: UserId;
  readonly fullName: string;
  readonly username: string;
  readonly formerUsernames: readonly string[];
  readonly email: string;
  readonly state: AccountState;
  readonly isEmailConfirmed: boolean;
  readonly since: string;
  readonly suspension: { readonly since: string; readonly reason: string } | null;
  /** When the account will be closed, or was. */
  readonly closesAt: string | null;
  readonly services: readonly ServiceCategory[];
  readonly codes: readonly {
    readonly id: QrCodeId;
    readonly serviceCategory: ServiceCategory;
    readonly status: QrCodeStatus;
    readonly name: string;
  }[];
  readonly totalReceivedCents: number;
  readonly totalGivenCents: number;
  /** The newest first, at most ten. */
  readonly lastTips: readonly PersonTip[];
  readonly sessionCount: number;
  readonly deviceCount: number;
  readonly apiKeyCount: number;
  readonly webhookCount: number;
  /** The number of webhooks that are switched off, by whomever. */
  readonly webhookOffCount: number;
  readonly passkeyCount: number;
  readonly hasTotp: boolean;
  readonly mustChangePassword: boolean;
  readonly payouts: readonly {
    readonly mode: PaymentMode;
    readonly isReady: boolean;
    readonly missing: readonly string[];
  }[];
}

/** How a link for a new password reaches its owner: by mail, or by the operator, who is told it this once. */
export type SentLink =
  | { readonly by: 'mail' }
  | { readonly by: 'operator'; readonly url: string; readonly expiresAt: string };
