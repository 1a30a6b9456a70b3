/** Apps that count attempts, and the callers who use them up. */
import {
  type Answer,
  type CallOptions,
  type Door,
  doorFor,
  logInThrough,
  registerThrough,
} from './both-doors.ts';
import { createTestApp, PASSWORD, type TestApp } from './test-app.ts';

export const createLimitedApp = () => createTestApp({ config: { isRateLimited: true } });

export const createSlowApp = () => createTestApp({ config: { isRateLimited: true }, hashing: 'slow' });

export const WRONG = 'not the password';

export function guess(
  t: TestApp,
  email: string,
  options?: CallOptions,
  door: Door = 'REST',
): Promise<Answer> {
  return logInThrough(door, t, email, WRONG, options);
}

/** 203.0.113.0 to 203.0.113.255 are for documentation (RFC 5737): as many callers as a test needs. */
export const stranger = (index: number): CallOptions => ({ peer: `203.0.113.${index}` });

/** Registers somebody of this number, each through the door whose turn it is. */
export function register(t: TestApp, turn: number, options?: CallOptions): Promise<Answer> {
  const person = { email: `person-${turn}@example.com`, username: `person-${turn}`, password: PASSWORD };
  return registerThrough(doorFor(turn), t, person, options);
}
