/** The version of package.json at build time. */
import { SOFTWARE } from '#shared/software.ts';
import described from '../../package.json' with { type: 'json' };

export const VERSION = described.version;

export const NAME_AND_VERSION = `${SOFTWARE} ${VERSION}`;

export const RUNNING = { version: VERSION, node: process.version, runtime: process.execPath } as const;
