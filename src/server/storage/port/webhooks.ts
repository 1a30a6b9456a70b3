/** The storage port for an account's webhooks (docs/decisions/046-webhooks-follow-the-ledger.md). */
import type { EventId, UserId, WebhookId } from '#shared/ids.ts';
import type { EventKind, EventPlace } from './events.ts';
import type { NewMail } from './mails.ts';
import type { DueOfAccounts } from './outboxes.ts';

/** Why an endpoint is told nothing. `gone`: it answered so. `restored`: a backup was restored. */
export type OffReason = 'owner' | 'failed' | 'gone' | 'restored';

/** The length of a secret. */
export const SECRET_BYTES = 32;

/** The secrets that sign deliveries. They are stored as they are, because a hash cannot sign. */
export interface WebhookSecrets {
  readonly secret: Uint8Array;
  /** The former secrets, the newest first, which sign as well until `oldSecretUntilMs`; null without one. */
  readonly oldSecret: Uint8Array | null;
  readonly oldSecretUntilMs: number | null;
}

export interface NewWebhook {
  readonly id: WebhookId;
  readonly userId: UserId;
  readonly url: string;
  readonly kinds: readonly EventKind[];
  readonly secret: Uint8Array;
  readonly createdAtMs: number;
}

export interface WebhookRecord extends NewWebhook, WebhookSecrets {
  /** Null while it is on. */
  readonly offReason: OffReason | null;
  readonly offAtMs: number | null;
  /** Since when nothing got through; null while all is well. */
  readonly failingSinceMs: number | null;
  readonly nextTryMs: number;
}

/** An endpoint that one process alone tells until `claimedUntilMs`, of the events after `place`. */
export interface ClaimedWebhook
  extends Pick<NewWebhook, 'id' | 'userId' | 'url' | 'kinds'>,
    WebhookSecrets,
    Pick<WebhookRecord, 'failingSinceMs'> {
  readonly place: EventPlace;
  readonly tries: number;
  readonly claimedUntilMs: number;
}

/** A claim, valid until another process claims the endpoint or its owner changes it. */
export type WebhookClaim = Pick<ClaimedWebhook, 'id' | 'claimedUntilMs'>;

export interface Delivery {
  readonly eventId: EventId;
  readonly kind: EventKind | 'webhook.test';
  readonly triedAtMs: number;
  readonly tookMs: number;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  readonly failure: string | null;
  /** The beginning of the body of the answer: 4,096 characters at most. */
  readonly answer: string;
}

export interface SettledWebhook extends Pick<WebhookRecord, 'failingSinceMs' | 'nextTryMs'> {
  readonly place: EventPlace;
  readonly tries: number;
  readonly deliveries: readonly Delivery[];
  readonly off: {
    readonly reason: Extract<OffReason, 'failed' | 'gone'>;
    readonly atMs: number;
    readonly mail: NewMail | undefined;
  } | null;
}

/** Every change by the owner ends the claim of a process, whose result is then not stored. */
export interface WebhookStorage {
  /**
   * Adds an endpoint at the account's present place; `full` when it has `maxCount`, `gone` when it is closed or the
   * session has ended. @param session the token hash of the one in which it is added.
   */
  add(endpoint: NewWebhook, maxCount: number, session?: Uint8Array): Promise<'added' | 'full' | 'gone'>;
  list(userId: UserId): Promise<WebhookRecord[]>;
  /** @returns null, as all below, when the account has no such endpoint. */
  change(
    userId: UserId,
    id: WebhookId,
    change: { readonly url?: string | undefined; readonly kinds?: readonly EventKind[] | undefined },
  ): Promise<WebhookRecord | null>;
  rotate(
    userId: UserId,
    id: WebhookId,
    secret: Uint8Array,
    times: { readonly nowMs: number; readonly oldSecretUntilMs: number },
  ): Promise<WebhookRecord | null>;
  switchOff(userId: UserId, id: WebhookId, nowMs: number): Promise<WebhookRecord | null>;
  /** @param skips leaves out the events since it was switched off. */
  switchOn(userId: UserId, id: WebhookId, skips: boolean): Promise<WebhookRecord | null>;
  remove(userId: UserId, id: WebhookId): Promise<boolean>;
  /** Claims due endpoints with untold events, longest waiting first, each for one process. */
  claimDue(due: DueOfAccounts): Promise<ClaimedWebhook[]>;
  endClaims(): Promise<void>;
  isClaimed(claim: WebhookClaim): Promise<boolean>;
  /** Stores the result of a claim and ends it. @returns false when the claim was no longer valid. */
  settle(claim: WebhookClaim, settled: SettledWebhook): Promise<boolean>;
  /**
   * Notes a delivery outside of the order. When it got through, waiting events are due at once, untried, and a claim
   * of what had failed before is no longer valid.
   */
  noteDelivery(id: WebhookId, delivery: Delivery, gotThrough: boolean): Promise<void>;
  /** The last hundred, newest first; none for somebody else's endpoint. */
  listDeliveries(userId: UserId, id: WebhookId): Promise<Delivery[]>;
  /** Endpoints that were switched off and whose owners' devices were not told yet. */
  listUntold(atMost: number): Promise<Pick<WebhookRecord, 'id' | 'userId' | 'url'>[]>;
  markTold(id: WebhookId): Promise<void>;
}
