/**
 * Programs of the system that tests look at results with: poppler reads and renders printed sheets, and zbar scans
 * the codes on them; promtool judges metrics and alert rules.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['pdftoppm', 'pdftotext', 'pdffonts', 'pdfinfo', 'zbarimg'] as const;
export type PrintTool = (typeof PROGRAMS)[number];

const HOW_TO =
  'The tests of printed sheets need poppler and zbar. Install them (Debian: apt-get install poppler-utils zbar-tools; Homebrew: brew install poppler zbar).';

function find(program: string): string | null {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  return places.find((place) => existsSync(place)) ?? null;
}

export const requirePrintTools = (): void => requireTools(PROGRAMS, ['poppler-utils', 'zbar-tools'], HOW_TO);

/**
 * Installs programs where that is possible without asking anybody.
 * @param packages those of Debian that have them.
 * @param howTo what the error says where they cannot be installed.
 * @throws Error
 */
export function requireTools(programs: readonly string[], packages: readonly string[], howTo: string): void {
  const isComplete = () => programs.every((program) => find(program) !== null);
  if (isComplete()) return;
  const aptGet = find('apt-get');
  if (aptGet !== null && process.getuid?.() === 0) {
    try {
      execFileSync(aptGet, ['update', '-qq'], { stdio: 'ignore' });
      execFileSync(aptGet, ['install', '-y', '-qq', ...packages], { stdio: 'ignore' });
    } catch (cause) {
      throw new Error(howTo, { cause });
    }
  }
  if (!isComplete()) throw new Error(howTo);
}
