/** The history state of an entry whose former entry shows what its way back leads to (way-back.ts). */
export const FROM_THERE = { isFromThere: true };
