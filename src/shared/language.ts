/** The language of all pages and of the dates, times and numbers in them, whatever language a browser prefers. */
export const PAGE_LANGUAGE = 'en-US';
