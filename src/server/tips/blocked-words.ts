/** The operator's list of words that no message may have. */
export interface BlockedWords {
  matches(text: string): boolean;
}

/** A list without words. */
export const NO_BLOCKED_WORDS: BlockedWords = { matches: () => false };
