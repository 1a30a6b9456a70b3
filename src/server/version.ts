/** Which Tipwell this is: the version of package.json as it was when the server was built. */
import { brand } from '#shared/brand.ts';
import described from '../../package.json' with { type: 'json' };

export const VERSION = described.version;

/** The product and its version, for people. */
export const NAME_AND_VERSION = `${brand.name} ${VERSION}`;

/** What runs here, for the log of a start. */
export const RUNNING = { version: VERSION, node: process.version, runtime: process.execPath } as const;
