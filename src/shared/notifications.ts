/** Schemas of push notifications, which reach a phone with no page open (https://www.w3.org/TR/push-api/). */
import { z } from 'zod';
import type { ServiceCategory } from './categories.ts';
import { idPattern, type TransactionId } from './ids.ts';

/** The longest endpoints, Microsoft's, have some 600 characters. */
export const MAX_ENDPOINT_LENGTH = 1_000;
/** The most devices of an account; one more replaces the oldest. */
export const MAX_DEVICES = 20;

const NO_ENDPOINT = 'The endpoint must be the one that the browser gives.';
export const NO_P256DH = 'p256dh must be the key that the browser gives: 65 bytes in base64.';
const NO_AUTH = 'auth must be the secret that the browser gives: 16 bytes in base64.';

/** Base64 or base64url, padded or not, as browsers and their polyfills write it. */
const P256DH = /^B[A-P][A-Za-z0-9+/_-]{85}=?$/;
const AUTH = /^[A-Za-z0-9+/_-]{22}(?:==)?$/;

const withWords = z.boolean({ error: 'Whether notifications have words in them must be true or false.' });

/** A browser's `PushSubscription.toJSON()`, with its keys beside the endpoint. */
export const newDevice = z.object({
  endpoint: z
    .string({ error: NO_ENDPOINT })
    .max(MAX_ENDPOINT_LENGTH, NO_ENDPOINT)
    .regex(/^https?:\/\/[!-~]+$/, NO_ENDPOINT),
  p256dh: z.string({ error: NO_P256DH }).regex(P256DH, NO_P256DH),
  auth: z.string({ error: NO_AUTH }).regex(AUTH, NO_AUTH),
  /** Whether notifications contain messages, which may then stand on a locked screen. False by default. */
  withWords: withWords.optional(),
});
export type NewDevice = z.output<typeof newDevice>;

export const notificationDeviceChange = z.object({ withWords: withWords.optional() });

export const deviceQuery = z.object({ id: z.string().brand<'DeviceId'>() });
export const deviceChange = notificationDeviceChange.extend(deviceQuery.shape);
export type DeviceChange = z.output<typeof deviceChange>;

/** Browsers show two actions of a notification at most. */
export const MAX_OFFERED_THANK_YOUS = 2;
const MAX_PROOF_LENGTH = 400;

/** Thanks for a tip from its notification, with no session. */
export const noticeThanks = z.object({
  proof: z.string({ error: 'The proof must be text.' }).max(MAX_PROOF_LENGTH, 'The proof is too long.'),
  /** The place of the chosen thank-you among those that the notification offered, from 0. */
  choice: z
    .int({ error: 'The choice must be a whole number.' })
    .min(0, 'The choice must not be negative.')
    .max(MAX_OFFERED_THANK_YOUS - 1, 'There are two thank-yous at most.'),
});
export type NoticeThanks = z.output<typeof noticeThanks>;

export const pushKey = z.object({
  /** A point of P-256: 65 bytes in base64url. */
  publicKey: z.string(),
});
export type PushKey = z.infer<typeof pushKey>;

export const notificationDevice = z.object({
  id: z.string().regex(idPattern('dev')).brand<'DeviceId'>(),
  device: z.string().nullable(),
  createdAt: z.iso.datetime(),
  isCurrent: z.boolean(),
  withWords: z.boolean(),
});
export type NotificationDevice = z.infer<typeof notificationDevice>;

export interface NotifiedTip {
  readonly id: TransactionId;
  readonly amountCents: number;
  readonly netAmountCents: number;
  readonly serviceCategory: ServiceCategory;
  readonly createdAt: string;
  /** Null without a name, and for a device that gets no messages. */
  readonly giverName: string | null;
  readonly message: string | null;
  /** The thank-yous to choose from, and the proof that sends one; left out where they found no room. */
  readonly thanks?: OfferedThanks;
}

export interface OfferedThanks {
  readonly texts: readonly string[];
  readonly proof: string;
}

/** The JSON payload for the service worker. */
export type PushMessage =
  | {
      readonly v: 1;
      readonly kind: 'tips';
      /** Tips since the last notification; a notification sent twice counts its tips in both. */
      readonly count: number;
      readonly amountCents: number;
      readonly netCents: number;
      /** The position of the last entry that it counts. */
      readonly upTo: number;
      readonly tip: NotifiedTip | null;
      /** The same for a repetition, which then replaces the first notification. */
      readonly tag: string;
      /** A code of ISO 4217; without it USD. */
      readonly currency?: string;
      /** The digits after its point, which browsers disagree about. */
      readonly exponent?: number;
    }
  | { readonly v: 1; readonly kind: 'test'; readonly tag: string }
  /** A webhook to this host was switched off. */
  | { readonly v: 1; readonly kind: 'webhook'; readonly host: string; readonly tag: string };
