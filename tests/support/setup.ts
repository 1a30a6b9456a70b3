/**
 * Around every test file: what complains on the console fails the test that made it complain; no server
 * outlives it.
 */
import { afterAll, vi } from 'vitest';
import { stopEverything } from '#tests/support/running-server.ts';

for (const level of ['error', 'warn'] as const) {
  vi.spyOn(console, level).mockImplementation((...words: unknown[]) => {
    throw new Error(`console.${level}: ${words.map(String).join(' ')}`);
  });
}

afterAll(stopEverything);
