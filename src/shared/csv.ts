/** CSV (RFC 4180) that spreadsheets open in the right letters and without taking a cell for a formula. */

/** The byte order mark, without which spreadsheets assume a code page (Unicode Standard, section 23.8). */
export const CSV_BOM = '\ufeff';

/** The beginnings of formulas, full-width East Asian forms included (OWASP, "CSV Injection"). */
const SIGN = '[=+\\-@\\t\\r\\n＝＋－＠]';
const FORMULA = new RegExp(`^${SIGN}`);
/**
 * The same after a semicolon. Where that separates cells, because amounts have a decimal comma, a spreadsheet
 * does not see the quotes around a cell and reads the quotes inside as empty cells.
 */
const FORMULA_INSIDE = new RegExp(`(;[\\s"]*)(?=${SIGN})`, 'g');

/** A text, or the digits of a plain decimal number: a negative one is no formula and stays a number. */
export type CsvCell = string | { readonly number: string };

/** A record with its line break. An apostrophe before a text that would be a formula keeps it a text. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? csvCell(cell) : cell.number)).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const harmless = `${FORMULA.test(text) ? "'" : ''}${text.replace(FORMULA_INSIDE, "$1'")}`;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
