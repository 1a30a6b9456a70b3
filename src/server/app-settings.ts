/** The settings that the console shows beside what can be changed there. */
import { brand } from '#shared/brand.ts';
import type { InstallationSettings } from '#shared/console/installation.ts';
import type { OwnBrand } from './brand/own-brand.ts';
import type { Config } from './config.ts';

export function installationSettings(config: Config, own: OwnBrand): InstallationSettings {
  const { publicUrl, stripe, registration, maintenance, brandColour, brandFolder } = config;
  const until = maintenance?.untilMs ?? null;
  return {
    publicUrl,
    isPaidByStripe: stripe !== null,
    registration,
    maintenance: maintenance && { until: until === null ? null : new Date(until).toISOString() },
    brand: {
      name: brand.name,
      sentence: brand.tagline,
      colour: brandColour,
      mended: own.accent?.mended ?? [],
      logo: own.logo?.mark.path ?? null,
      folder: brandFolder,
      pages: own.pages.map(({ label, path }) => ({ label, path })),
    },
  };
}
