/** What an operator brings beside a name: a colour, and the files of BRAND_FOLDER. All of it is read at start. */
import { type Accent, accentOf } from './accent.ts';
import { requireFolder } from './brand-folder.ts';
import { defaultPrivacy, type StoredFacts } from './default-privacy.ts';
import { type Logo, readLogo } from './logo.ts';
import { type OperatorPage, readOperatorPages } from './operator-pages.ts';

export interface OwnBrand {
  readonly accent: Accent | null;
  readonly logo: Logo | null;
  /** In the order of their links. */
  readonly pages: readonly OperatorPage[];
}

export const NO_BRAND: OwnBrand = { accent: null, logo: null, pages: [] };

/** @throws BrandRefused for what cannot be used. */
export async function readOwnBrand(
  { brandColour, brandFolder }: { readonly brandColour: string | null; readonly brandFolder: string | null },
  facts: StoredFacts,
): Promise<OwnBrand> {
  const accent = brandColour === null ? null : accentOf(brandColour);
  if (brandFolder === null) return { ...NO_BRAND, accent };
  await requireFolder(brandFolder);
  const logo = await readLogo(brandFolder);
  return { accent, logo, pages: await readOperatorPages(brandFolder, defaultPrivacy(facts)) };
}

/** The SHA-256 of the terms of use; null for an operator without any. */
export function termsOfUseOf({ pages }: OwnBrand): string | null {
  return pages.find(({ name }) => name === 'terms')?.version ?? null;
}
