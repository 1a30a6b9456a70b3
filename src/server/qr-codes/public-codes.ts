/** What anybody may ask of codes and their providers: the look-up of a scanned code, and a provider's page. */
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { readQrCodeId, tipPageUrl } from '#shared/ids.ts';
import type { ProviderPage, QrCodeLookup } from '#shared/qr-codes.ts';
import { shownReceiver } from '#shared/tip-pages.ts';
import { MAX_USERNAME_LENGTH } from '#shared/usernames.ts';
import { photoUrl, requireCurrent, requireId } from './code-refusals.ts';
import { rememberLookups } from './remembered-lookups.ts';

export interface PublicCodes {
  /**
   * Returns the same object while it is cached: until the storage reports a possible change, and for at most five
   * seconds where other processes may change it.
   * @throws AppError `qr_code_not_found`, `qr_code_replaced`, `qr_code_retired`.
   */
  lookup(text: string): Promise<QrCodeLookup>;
  /** The cached result of `lookup`; null says nothing about the code. */
  recall(text: string): QrCodeLookup | null;
  /** Takes a username in any case. @throws AppError `provider_not_found` when no open account of it lists a code. */
  findProvider(username: string): Promise<ProviderPage>;
  /** Forgets expired look-ups. Call it every second. */
  tick(): void;
}

export function createPublicCodes(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly payments: Pick<TipPayments, 'isPayable'>;
  readonly maxRemembered?: number;
}): PublicCodes {
  const { storage, clock, publicUrl, payments, maxRemembered } = deps;
  const remembered = rememberLookups(storage, clock, maxRemembered);

  return {
    async lookup(text) {
      const id = requireId(text);
      const known = remembered.get(id);
      if (known) return known;
      const reading = remembered.begin();
      const code = await storage.findQrCode(id);
      if (!code) throw new AppError('qr_code_not_found');
      const { serviceCategory, status, greeting, photoName, takesWords } = requireCurrent(code);
      const { userId, username, fullName } = shownReceiver(code);
      const isPayable = await payments.isPayable(code.userId, serviceCategory);
      const found = Object.freeze({
        qrCode: Object.freeze({
          id,
          serviceCategory,
          userId,
          status,
          // A giver who tries is told that the payment service does not answer.
          isPayable: isPayable ?? true,
          takesWords,
        }),
        serviceProvider: Object.freeze({
          username,
          fullName,
          serviceCategory,
          greeting,
          photoUrl: photoUrl(photoName),
        }),
      });
      if (isPayable !== null) reading.remember(found, code.userId);
      return found;
    },

    // Printed codes arrive as stored; only typed ones need parsing.
    recall: (text) => remembered.get(text) ?? remembered.get(readQrCodeId(text) ?? '') ?? null,

    async findProvider(text) {
      const username = text.length > MAX_USERNAME_LENGTH ? '' : text.toLowerCase();
      const codes = (await storage.listPublicCodes(username)).map(requireCurrent);
      const [first] = codes;
      if (!first) throw new AppError('provider_not_found');
      return {
        username: first.username,
        fullName: first.fullName,
        codes: codes.map(({ id, serviceCategory, displayName, fullName, greeting, photoName, status }) => ({
          id,
          serviceCategory,
          url: tipPageUrl(publicUrl, id),
          name: displayName ?? fullName,
          greeting,
          photoUrl: photoUrl(photoName),
          status,
        })),
      };
    },

    tick: remembered.tick,
  };
}
