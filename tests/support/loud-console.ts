/** What complains on the console fails the test that made it complain. */
import { vi } from 'vitest';

for (const level of ['error', 'warn'] as const) {
  vi.spyOn(console, level).mockImplementation((...words: unknown[]) => {
    throw new Error(`console.${level}: ${words.map(String).join(' ')}`);
  });
}
