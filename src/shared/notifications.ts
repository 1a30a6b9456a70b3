/** The words of notices: tips that reach a phone with no page open (https://www.w3.org/TR/push-api/). */
import { z } from 'zod';
import type { ServiceCategory } from './categories.ts';
import { idPattern, type TransactionId } from './ids.ts';

/** Long enough for every push service's: Microsoft's, the longest, have some 600 characters. */
export const MAX_ENDPOINT_LENGTH = 1_000;
/** Of one account; with one more, the oldest gets none any more. */
export const MAX_DEVICES = 20;

const NO_ENDPOINT = 'The endpoint must be the one that the browser gives.';
export const NO_P256DH = 'p256dh must be the key that the browser gives: 65 bytes in base64.';
const NO_AUTH = 'auth must be the secret that the browser gives: 16 bytes in base64.';

/** In base64 or base64url, with or without padding, as browsers and their polyfills write it. */
const P256DH = /^B[A-P][A-Za-z0-9+/_-]{85}=?$/;
const AUTH = /^[A-Za-z0-9+/_-]{22}(?:==)?$/;

const withWords = z.boolean({ error: 'Whether notices have words in them must be true or false.' });

/** What a browser gives a page that asks for notices (`PushSubscription.toJSON()`, with its keys beside the endpoint). */
export const newDevice = z.object({
  endpoint: z
    .string({ error: NO_ENDPOINT })
    .max(MAX_ENDPOINT_LENGTH, NO_ENDPOINT)
    .regex(/^https?:\/\/[!-~]+$/, NO_ENDPOINT),
  p256dh: z.string({ error: NO_P256DH }).regex(P256DH, NO_P256DH),
  auth: z.string({ error: NO_AUTH }).regex(AUTH, NO_AUTH),
  /** Whether notices say what a giver wrote: they may stand on a locked screen. False without it. */
  withWords: withWords.optional(),
});
export type NewDevice = z.output<typeof newDevice>;

/** What is changed of a device; what is left out stays as it is. */
export const notificationDeviceChange = z.object({ withWords: withWords.optional() });

export const deviceQuery = z.object({ id: z.string().brand<'DeviceId'>() });
export const deviceChange = notificationDeviceChange.extend(deviceQuery.shape);
export type DeviceChange = z.output<typeof deviceChange>;

/** The key by which push services know this server; `applicationServerKey` of a browser. */
export const pushKey = z.object({
  /** A point of P-256: 65 bytes in base64url. */
  publicKey: z.string(),
});
export type PushKey = z.infer<typeof pushKey>;

/** A device that gets notices, for as long as it is logged in. */
export const notificationDevice = z.object({
  id: z.string().regex(idPattern('dev')).brand<'DeviceId'>(),
  /** What its session was begun with; null when the client did not say. */
  device: z.string().nullable(),
  /** ISO 8601 in UTC. */
  createdAt: z.iso.datetime(),
  /** Whether it is logged in by the session that asks. */
  isCurrent: z.boolean(),
  withWords: z.boolean(),
});
export type NotificationDevice = z.infer<typeof notificationDevice>;

/** What of a single tip a notice says. */
export interface NotifiedTip {
  readonly id: TransactionId;
  readonly netAmountCents: number;
  readonly serviceCategory: ServiceCategory;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** The name under which it was given; null without one, and on a device that gets no words. */
  readonly giverName: string | null;
  /** What its giver wrote; null without words, and on a device that gets none. */
  readonly message: string | null;
}

/** What a push message says, in JSON, to the service worker that gets it. */
export type PushMessage =
  | {
      readonly v: 1;
      readonly kind: 'tips';
      /** How many tips were received since the last notice; those of one that came twice are in both. */
      readonly count: number;
      /** The sum of their net amounts. */
      readonly netCents: number;
      /** The position of the last entry that it tells. */
      readonly upTo: number;
      /** The tip, when it is a single one; null otherwise. */
      readonly tip: NotifiedTip | null;
      /** The same for a notice and its repetition, so that the second takes the place of the first. */
      readonly tag: string;
    }
  /** What a device is asked to show that its owner tries out. */
  | { readonly v: 1; readonly kind: 'test'; readonly tag: string };
