/** What a test hands in when it opens data as a server does, and is not about what it is told then. */
import { announceNothing, type Opening } from '#server/storage/port/database.ts';

export const OPENING: Opening = { clock: Date.now, warn() {}, tellNew() {}, announce: announceNothing };
