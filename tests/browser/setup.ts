import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findChromium } from '../support/find-chromium.ts';
import { setup as choosePlace } from '../support/place.ts';

const HOW_TO =
  'The browser tests need Chromium or Chrome. Install one (Debian: apt-get install chromium) or set CHROMIUM_PATH.';

export default function setup(): void {
  choosePlace();
  const folder = join(import.meta.dirname, '../..');
  execFileSync(process.execPath, ['tools/build-if-needed.js'], { cwd: folder, stdio: 'inherit' });
  if (findChromium() !== null) return;
  try {
    execFileSync(process.execPath, ['node_modules/@playwright/test/cli.js', 'install', 'chromium'], {
      cwd: folder,
      stdio: 'inherit',
    });
  } catch (cause) {
    throw new Error(HOW_TO, { cause });
  }
}
