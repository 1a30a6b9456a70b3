/**
 * Around every test file: what complains on the console fails the test that made it complain; no server
 * outlives it, nor do the terms that one of them let hold.
 */
import { afterAll, beforeEach, vi } from 'vitest';
import { rememberTerms } from '#shared/ever-tipped.ts';
import { putInForce, SPECIFIED_TERMS } from '#shared/money.ts';
import { stopEverything } from '#tests/support/running-server.ts';

function watchConsole(): void {
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level)
      .mockReset()
      .mockImplementation((...words: unknown[]) => {
        throw new Error(`console.${level}: ${words.map(String).join(' ')}`);
      });
  }
}

watchConsole();
// A test may have restored what is watched, or left an answer behind for a complaint that did not come.
beforeEach(watchConsole);

afterAll(async () => {
  await stopEverything();
  putInForce(SPECIFIED_TERMS);
  rememberTerms([SPECIFIED_TERMS]);
});
