/**
 * The part of the storage port that is about devices which get notices. What is still to be told to a device are the entries of its
 * account after its position: the ledger is the outbox, so that a tip writes nothing more than without devices.
 */
import type { DeviceId, UserId } from '#shared/ids.ts';

/** A device that asks for notices. It gets them for as long as its session lives. */
export interface NewDevice {
  /** Of no meaning where its endpoint was registered by the same account before: then it keeps its id, and what it was told. */
  readonly id: DeviceId;
  readonly userId: UserId;
  /** SHA-256 of the bearer token of its session. */
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
  /** The kind of device that its session was begun on; empty when the client named none. */
  readonly device: string;
}

/** A device that one process has to itself until `claimedUntilMs`, to tell it what came after `notifiedPosition`. */
export interface ClaimedDevice
  extends Pick<NewDevice, 'id' | 'userId' | 'endpoint' | 'p256dh' | 'auth' | 'withWords'> {
  readonly notifiedPosition: number;
  /** How often sending has failed since it last worked. */
  readonly tries: number;
  readonly claimedUntilMs: number;
}

/** A claim, which is one as long as nobody else claimed the device, or registered it again. */
export type DeviceClaim = Pick<ClaimedDevice, 'id' | 'claimedUntilMs'>;

/** What became of a claim. */
export interface SettledDevice {
  /** The position of the last entry that was told, or that is not to be told. */
  readonly notifiedPosition: number;
  readonly nextTryMs: number;
  readonly tries: number;
}

/** Which devices are due. */
export interface DueDevices {
  readonly nowMs: number;
  /** How long the claim lasts. */
  readonly leaseMs: number;
  /** The longest that a device ever waits for its next try: whoever would wait longer met a clock that was turned back since. */
  readonly maxWaitMs: number;
  readonly atMost: number;
  /** Those of these accounts; null for all. */
  readonly accounts: readonly UserId[] | null;
}

/** Devices that get notices. Every method is one atomic step, as in all of the port. */
export interface Devices {
  /**
   * Adds a device, which is told what comes from now on. One whose endpoint is there already moves to this account and session; of
   * more than `maxCount` of an account the oldest go. `session_ended`, with nothing changed, when there is no such session.
   */
  add(
    device: NewDevice,
    maxCount: number,
  ): Promise<
    { readonly outcome: 'added'; readonly device: DeviceRecord } | { readonly outcome: 'session_ended' }
  >;
  /** The devices of an account whose sessions live at `nowMs`, the newest first. */
  list(userId: UserId, nowMs: number): Promise<DeviceRecord[]>;
  /** Changes whether notices have words in them. @returns null when the account has no such device. */
  change(userId: UserId, id: DeviceId, withWords: boolean): Promise<DeviceRecord | null>;
  /** @returns whether the account had such a device. */
  remove(userId: UserId, id: DeviceId): Promise<boolean>;
  /**
   * Claims devices whose account has entries that were not told, whose time for a try has come, whose session lives, and which nobody
   * has claimed, those that have waited longest first. No two processes claim the same one.
   */
  claimDue(due: DueDevices): Promise<ClaimedDevice[]>;
  /** Ends all claims, which are those of processes that have ended. */
  endClaims(): Promise<void>;
  /** Notes what became of a claim, and ends it. @returns whether it still was one. */
  settle(claim: DeviceClaim, settled: SettledDevice): Promise<boolean>;
  /** Deletes a device that its push service does not know any more, unless the claim is none any more. */
  forget(claim: DeviceClaim): Promise<void>;
}

/** How far a claim reaches into the future at most, when the clocks of two processes differ as much as they may. */
export const claimEndsBefore = ({ nowMs, leaseMs }: DueDevices): number => nowMs + 2 * leaseMs;
