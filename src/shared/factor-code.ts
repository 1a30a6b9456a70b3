/** The code that somebody types beside a password: of an authenticator app, or a recovery code. */
import { z } from 'zod';

const NO_CODE = 'Enter the code.';

export const factorCode = z
  .string({ error: NO_CODE })
  .trim()
  .min(1, NO_CODE)
  .max(64, 'This code is too long.');
