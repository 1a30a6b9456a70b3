/** Second factors of an account, as their owner sees and changes them. */
import { z } from 'zod';
import { isShowable } from './display-names.ts';
import { factorCode } from './factor-code.ts';
import { idPattern } from './ids.ts';
import { notShowable } from './message-rules.ts';

const MAX_PASSKEY_NAME_LENGTH = 60;

export const passkey = z.object({
  id: z.string().regex(idPattern('psk')).brand<'PasskeyId'>(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  /** False for one that was made for another address of this site, and works no more. */
  worksHere: z.boolean(),
});

export const secondFactors = z.object({
  passkeys: z.array(passkey),
  hasTotp: z.boolean(),
  recoveryCodesLeft: z.int().min(0),
});

/** The names inside are those of WebAuthn, which no door respells. */
export const passkeyOptions = z.object({
  /** JSON for `PublicKeyCredential.parseRequestOptionsFromJSON` or `parseCreationOptionsFromJSON`. */
  options: z.string(),
});

const response = z.string({ error: 'The answer of the passkey is missing.' }).min(1).max(16_384);

export const passkeyAnswer = z.object({
  /** JSON as `PublicKeyCredential.toJSON` makes it. */
  response,
});

export const newPasskey = z.object({
  response,
  name: z
    .string({ error: 'Give the passkey a name.' })
    .trim()
    .min(1, 'Give the passkey a name.')
    .max(MAX_PASSKEY_NAME_LENGTH, { error: 'This name is too long.', abort: true })
    .refine(isShowable, notShowable('The name')),
});

export const passkeyQuery = z.object({ id: z.string().brand<'PasskeyId'>() });

export const totpSetup = z.object({
  /** In Base32, for typing. */
  secret: z.string(),
  /** `otpauth://totp/...`, as apps read it. */
  uri: z.string(),
  qr: z.object({
    /** The data of an SVG path, in modules. */
    path: z.string(),
    /** The width and height, in modules, with the quiet zone. */
    size: z.int(),
  }),
});

export const totpConfirmation = z.object({ code: factorCode });

export const firstRecoveryCodes = z.object({
  /** Shown once, with the first factor; null where there are some already. */
  recoveryCodes: z.array(z.string()).nullable(),
});

export const recoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

export const FACTOR_CHANGES = [
  'passkey_added',
  'passkey_removed',
  'app_added',
  'app_removed',
  'codes_renewed',
  'removed_by_operator',
] as const;
export type FactorChange = (typeof FACTOR_CHANGES)[number];

export type Passkey = z.infer<typeof passkey>;
export type SecondFactors = z.infer<typeof secondFactors>;
export type TotpSetup = z.infer<typeof totpSetup>;
