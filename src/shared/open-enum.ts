/** Enumerations to which later versions add values. */
import { z } from 'zod';

/** The API description has these values as examples, so that clients made of it take those of later versions. */
export function openEnum<const Value extends string>(values: readonly Value[]) {
  return z.enum(values).meta({ isOpen: true });
}
