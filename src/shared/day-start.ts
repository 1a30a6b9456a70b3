import { z } from 'zod';

const NO_HOUR = 'The hour at which the day starts must be a whole number from 0 to 23.';

/** 0 to 23; 0 for calendar days. With 5 the hours after midnight, up to five, belong to the day before. */
export const dayStartHour = z.int({ error: NO_HOUR }).min(0, NO_HOUR).max(23, NO_HOUR);
