/**
 * The history state of an entry whose former entry shows what its way back leads to. Apart from way-back.ts, which is
 * fetched with what was opened.
 */
export const FROM_THERE = { isFromThere: true };
