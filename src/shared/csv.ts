/**
 * Comma-separated values (RFC 4180) that a spreadsheet opens as they are meant: in the right letters, and with no cell taken for a
 * formula.
 */

/** Says that a file is UTF-8, without which spreadsheets read it in a code page of their own (Unicode Standard, section 23.8). */
export const CSV_BOM = '\ufeff';

/** With what a cell begins that a spreadsheet may take for a formula, also in the full width of East Asian type (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** One record with its line break. A cell that would begin a formula gets an apostrophe in front, which makes it a text. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
