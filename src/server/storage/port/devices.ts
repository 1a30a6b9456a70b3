/** The storage port for devices that get notifications (docs/decisions/027-the-ledger-is-the-outbox.md). */
import type { DeviceId, UserId } from '#shared/ids.ts';
import type { DueOfAccounts } from './outboxes.ts';

export interface NewDevice {
  /** Ignored when the same account registered the endpoint before: the device keeps its id and position. */
  readonly id: DeviceId;
  readonly userId: UserId;
  /** SHA-256 of the session's bearer token. */
  readonly sessionHash: Uint8Array;
  readonly endpoint: string;
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
  readonly withWords: boolean;
  readonly createdAtMs: number;
}

export interface DeviceRecord
  extends Pick<
    NewDevice,
    'id' | 'sessionHash' | 'endpoint' | 'p256dh' | 'auth' | 'withWords' | 'createdAtMs'
  > {
  /** The kind of device of the session; empty when the client sent none. */
  readonly device: string;
}

/** One process alone notifies it until `claimedUntilMs`, of the entries after `notifiedPosition`. */
export interface ClaimedDevice
  extends Pick<NewDevice, 'id' | 'userId' | 'endpoint' | 'p256dh' | 'auth' | 'withWords'> {
  readonly notifiedPosition: number;
  readonly tries: number;
  readonly claimedUntilMs: number;
}

/** A claim, valid until another process claims the device or it is registered again. */
export type DeviceClaim = Pick<ClaimedDevice, 'id' | 'claimedUntilMs'>;

export interface SettledDevice {
  /** The position of the last entry that was told or is to be skipped. */
  readonly notifiedPosition: number;
  readonly nextTryMs: number;
  readonly tries: number;
}

export interface Devices {
  /** Adds a device at the account's position; a known endpoint moves here. Beyond `maxCount` the oldest devices go. */
  add(
    device: NewDevice,
    maxCount: number,
  ): Promise<
    { readonly outcome: 'added'; readonly device: DeviceRecord } | { readonly outcome: 'session_ended' }
  >;
  /** Devices whose sessions live at `nowMs`, newest first. */
  list(userId: UserId, nowMs: number): Promise<DeviceRecord[]>;
  /** Sets whether notifications contain messages. @returns null when the account has no such device. */
  change(userId: UserId, id: DeviceId, withWords: boolean): Promise<DeviceRecord | null>;
  remove(userId: UserId, id: DeviceId): Promise<boolean>;
  /** Claims due devices with a living session and untold entries, longest waiting first, each for one process. */
  claimDue(due: DueOfAccounts): Promise<ClaimedDevice[]>;
  /** Whether a claim is still valid. */
  isClaimed(claim: DeviceClaim): Promise<boolean>;
  /** Ends all claims; called when the processes that made them have ended. */
  endClaims(): Promise<void>;
  /** Stores the result of a claim and ends it. @returns false when the claim was no longer valid. */
  settle(claim: DeviceClaim, settled: SettledDevice): Promise<boolean>;
  /** Deletes a device that its push service no longer knows, while the claim is valid. */
  forget(claim: DeviceClaim): Promise<void>;
}
