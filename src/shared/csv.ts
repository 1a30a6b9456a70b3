/**
 * Comma-separated values (RFC 4180) that a spreadsheet opens as they are meant: in the right letters, and with no cell taken for a
 * formula.
 */

/** Says that a file is UTF-8, without which spreadsheets read it in a code page of their own (Unicode Standard, section 23.8). */
export const CSV_BOM = '\ufeff';

/** With what a cell begins that a spreadsheet may take for a formula, also in the full width of East Asian type (OWASP, "CSV Injection"). */
const SIGN = '[=+\\-@\\t\\r\\n＝＋－＠]';
const FORMULA = new RegExp(`^${SIGN}`);
/**
 * The same behind a semicolon, which separates cells where amounts have a comma: such a spreadsheet finds no quotes around a cell of
 * this file, and takes those of its text for empty ones.
 */
const FORMULA_INSIDE = new RegExp(`(;[\\s"]*)(?=${SIGN})`, 'g');

/** One record with its line break. What would begin a formula gets an apostrophe in front, which makes it a text. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const harmless = `${FORMULA.test(text) ? "'" : ''}${text.replace(FORMULA_INSIDE, "$1'")}`;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
