/**
 * The programs that look at prints as a printer and a phone do: poppler reads and renders the sheets, and
 * zbar scans the codes on them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['pdftoppm', 'pdftotext', 'pdffonts', 'pdfinfo', 'zbarimg'] as const;
export type PrintTool = (typeof PROGRAMS)[number];

const PACKAGES = ['poppler-utils', 'zbar-tools'];
const HOW_TO =
  'The tests of printed sheets need poppler and zbar. Install them (Debian: apt-get install poppler-utils zbar-tools; Homebrew: brew install poppler zbar).';

function find(program: string): string | null {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  return places.find((place) => existsSync(place)) ?? null;
}

/**
 * Installs the programs where that is possible without asking anybody. @throws Error that says how to install
 * them.
 */
export function requirePrintTools(): void {
  const isComplete = () => PROGRAMS.every((program) => find(program) !== null);
  if (isComplete()) return;
  const aptGet = find('apt-get');
  if (aptGet !== null && process.getuid?.() === 0) {
    try {
      execFileSync(aptGet, ['update', '-qq'], { stdio: 'ignore' });
      execFileSync(aptGet, ['install', '-y', '-qq', ...PACKAGES], { stdio: 'ignore' });
    } catch (cause) {
      throw new Error(HOW_TO, { cause });
    }
  }
  if (!isComplete()) throw new Error(HOW_TO);
}
