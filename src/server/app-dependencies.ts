/** What the product is given: settings, data, clock, randomness, and services outside. */

import type { Logger } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import type { RandomBytes } from '#shared/ids.ts';
import type { Upkeep } from './api/console/console-context.ts';
import type { Passwords } from './auth/passwords.ts';
import type { OwnBrand } from './brand/own-brand.ts';
import type { Config } from './config.ts';
import type { Relay } from './mail/relay.ts';
import type { Pages } from './pages/pages.ts';
import type { PaymentService } from './payments/payment-service.ts';
import type { Drawing } from './print/drawing.ts';
import type { Secrets } from './storage/port/secrets.ts';
import type { Storage } from './storage/port/storage.ts';
import type { BlockedWords } from './tips/blocked-words.ts';
import type { Troubles } from './troubles.ts';

export interface AppDependencies {
  readonly config: Config;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly pages: Pages | null;
  readonly isShuttingDown: () => boolean;
  /** Null for simulated payments. */
  readonly paymentService: PaymentService | null;
  /** Null where no mail is sent. */
  readonly mailRelay: Relay | null;
  readonly blockedWords: BlockedWords;
  readonly drawing: Drawing;
  readonly own: OwnBrand;
  readonly troubles: Troubles;
  readonly upkeep: Upkeep;
}
