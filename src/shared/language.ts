/**
 * The language of every page, in which dates, times and numbers are written whatever language a browser
 * prefers: a page of one language with the dates of another reads like a mistake.
 */
export const PAGE_LANGUAGE = 'en-US';
