/** The version of package.json at build time. */
import { brand } from '#shared/brand.ts';
import described from '../../package.json' with { type: 'json' };

export const VERSION = described.version;

export const NAME_AND_VERSION = `${brand.name} ${VERSION}`;

export const RUNNING = { version: VERSION, node: process.version, runtime: process.execPath } as const;
