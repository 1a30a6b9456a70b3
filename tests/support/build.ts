/** Tests that start the product as its users do need it built; once, before all of them. */
import { execFileSync } from 'node:child_process';

export function setup(): void {
  execFileSync(process.execPath, ['tools/build-if-needed.js'], { stdio: 'inherit' });
}
