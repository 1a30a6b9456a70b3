/** The settings that name an installation. It is loaded first, and imports nothing that names the product. */
import { resolve } from 'node:path';
import { z } from 'zod';

/** Controls, breaks of lines and paragraphs, surrogates without a pair, and bidirectional embeddings. */
const UNFIT_FOR_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

const line = (maxLength: number) =>
  z
    .string()
    .transform((text) => text.trim().normalize('NFC'))
    .refine(
      (text) => text !== '' && [...text].length <= maxLength && !UNFIT_FOR_A_LINE.test(text),
      `must be one line of 1 to ${maxLength} characters, without control characters`,
    )
    .optional();

const texts = z.object({ BRAND_NAME: line(60), BRAND_SENTENCE: line(120) });

export const brandSettings = {
  ...texts.shape,
  BRAND_COLOR: z
    .string()
    .trim()
    .regex(/^#[0-9a-f]{6}$/i, 'must be # with six hexadecimal digits, such as #1d6f5c')
    .toLowerCase()
    .optional(),
  BRAND_FOLDER: z
    .string()
    .refine((text) => !text.includes('\0'), 'must be a path')
    .transform((path) => resolve(path))
    .optional(),
};

/**
 * Call it before any module that names the product is loaded. What cannot be used is left to `parseConfig`, which
 * refuses it together with all other settings.
 */
export function settleBrand(readEnvironment: () => Readonly<Record<string, string | undefined>>): void {
  let given: Readonly<Record<string, string | undefined>>;
  try {
    given = readEnvironment();
  } catch {
    return;
  }
  const { BRAND_NAME, BRAND_SENTENCE } = given;
  const { data } = texts.safeParse({
    BRAND_NAME: BRAND_NAME || undefined,
    BRAND_SENTENCE: BRAND_SENTENCE || undefined,
  });
  globalThis.installedBrand = {
    ...(data?.BRAND_NAME && { brand: data.BRAND_NAME }),
    ...(data?.BRAND_SENTENCE && { sentence: data.BRAND_SENTENCE }),
  };
}
