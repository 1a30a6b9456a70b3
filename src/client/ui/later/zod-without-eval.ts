/** Import this before any schema: zod's `new Function` is forbidden and reported by the Content-Security-Policy. */
import { config } from 'zod';

config({ jitless: true });
