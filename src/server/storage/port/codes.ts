/** The storage port for QR codes, with the tip pages, photos and pictures that belong to them. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { PhotoName, QrCodeId, UserId } from '#shared/ids.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';

/** The texts of a tip page; null where its owner wrote none. */
export interface TipPage {
  readonly displayName: string | null;
  readonly greeting: string | null;
  readonly thankYou: string | null;
}

export interface QrCodeRecord extends TipPage {
  readonly id: QrCodeId;
  readonly userId: UserId;
  readonly serviceCategory: ServiceCategory;
  readonly status: QrCodeStatus;
  readonly photoName: PhotoName | null;
  readonly takesWords: boolean;
  /** Whether the provider's public page leads to this code. */
  readonly isListed: boolean;
}

export interface NewQrCode {
  readonly id: QrCodeId;
  readonly createdAtMs: number;
}

export interface QrCodeChange {
  readonly displayName?: string | null | undefined;
  readonly greeting?: string | null | undefined;
  readonly thankYou?: string | null | undefined;
  readonly takesWords?: boolean | undefined;
  readonly isListed?: boolean | undefined;
  readonly status?: Extract<QrCodeStatus, 'active' | 'paused'> | undefined;
}

export interface NewPicture {
  readonly address: string;
  readonly png: Uint8Array;
}

export interface Photo {
  readonly name: PhotoName;
  readonly jpeg: Uint8Array;
}

export interface QrCodeWithPicture extends QrCodeRecord {
  /** PNG bytes; null when none was made yet for the present address. */
  readonly picture: Uint8Array | null;
}

/** A code with its provider. The code of an account that is closing or suspended is paused. */
export interface QrCodeWithProvider extends QrCodeRecord {
  readonly username: string;
  readonly fullName: string;
}

/** Why a code cannot be changed: it is not the account's, or it was replaced or retired. */
export type CodeRefusal = { readonly outcome: 'unknown_code' | 'code_replaced' | 'code_retired' };

export interface CodeStorage {
  /** Whether the account has an active or paused code for the service. */
  hasQrCode(userId: UserId, category: ServiceCategory): Promise<boolean>;
  /** Stores an active code with its first picture. `id_taken` asks for another id. */
  createQrCode(
    code: NewQrCode & Pick<QrCodeRecord, 'userId' | 'serviceCategory'>,
    picture: NewPicture,
  ): Promise<'created' | 'category_taken' | 'category_not_offered' | 'id_taken'>;
  /** @param nowMs the time of the event; without it, and where nothing changes, none is noted. */
  updateQrCode(
    userId: UserId,
    id: QrCodeId,
    change: QrCodeChange,
    nowMs?: number,
  ): Promise<{ readonly outcome: 'updated'; readonly code: QrCodeRecord } | CodeRefusal>;
  /** Replaces a code, keeping its service, tip page and state. `id_taken` asks for another id. */
  replaceQrCode(
    userId: UserId,
    id: QrCodeId,
    next: NewQrCode,
    picture: NewPicture,
  ): Promise<
    | { readonly outcome: 'replaced'; readonly code: QrCodeRecord }
    | CodeRefusal
    | { readonly outcome: 'id_taken' }
  >;
  /** Null removes the photo; the previous one is deleted. @param nowMs as in `updateQrCode`. */
  setPhoto(
    userId: UserId,
    id: QrCodeId,
    photo: Photo | null,
    nowMs?: number,
  ): Promise<{ readonly outcome: 'updated'; readonly code: QrCodeRecord } | CodeRefusal>;
  findPhoto(name: PhotoName): Promise<Uint8Array | null>;
  /** Current codes, one a service, oldest first, with pictures for the addresses `addressPrefix` + id. */
  listQrCodes(userId: UserId, addressPrefix: string): Promise<QrCodeWithPicture[]>;
  /** Replaced and retired codes, newest first, after `before`. An unknown code gives an empty page. */
  listEndedQrCodes(userId: UserId, before: QrCodeId | null, atMost: number): Promise<QrCodeRecord[]>;
  findQrCode(id: QrCodeId): Promise<QrCodeWithProvider | null>;
  /** The current codes on the public page of this username, oldest first; none when nobody has it. */
  listPublicCodes(username: string): Promise<QrCodeWithProvider[]>;
  findPicture(id: QrCodeId, address: string): Promise<Uint8Array | null>;
  savePicture(id: QrCodeId, address: string, png: Uint8Array): Promise<void>;
}
