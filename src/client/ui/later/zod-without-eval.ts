/**
 * Keeps zod from compiling its checks with `new Function`, which the Content-Security-Policy forbids and
 * reports. It has to be imported before any schema.
 */
import { config } from 'zod';

config({ jitless: true });
