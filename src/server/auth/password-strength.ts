/**
 * Refuses passwords that are easy to guess, by the estimator of zxcvbn (Wheeler, USENIX Security 2016), which knows
 * 49,000 leaked passwords (OWASP ASVS 5.0, 6.2.4 and 6.2.11), the person and this product.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { isOwnName, normalizePassword, OWN_NAME_AS_PASSWORD } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { invalidField } from '#shared/invalid-field.ts';

/** The estimator's count for eight random characters, so that no such password is refused. */
const ENOUGH_GUESSES = 1e8;
/** Characters: 64 take up to 15 ms of CPU, 256 would take hundreds (measured). */
const MAX_JUDGED_LENGTH = 64;
/** Substitutions of digits and signs for letters; the estimator's default of 100 takes three times as long. */
const MAX_READINGS = 8;

const WORDS_OF_PRODUCT = [
  brand.name,
  'cashless',
  'tipping',
  'tip jar',
  'gratuity',
  'admin',
  'login',
  'test',
  ...Object.values(CATEGORY_LABELS),
];

export const EASY_TO_GUESS =
  'This password is too easy to guess. Use a few unrelated words, without names or years.';

interface Person {
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly phone: string | null;
}

let estimator: Promise<ZxcvbnFactory> | null = null;

/** Loads each part in a turn of the event loop of its own: together they would hold up other requests for 70 ms. */
async function createEstimator(): Promise<ZxcvbnFactory> {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core');
  await turn();
  const { adjacencyGraphs, dictionary } = await import('@zxcvbn-ts/language-common');
  await turn();
  return new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    maxLength: MAX_JUDGED_LENGTH,
    l33tMaxSubstitutions: MAX_READINGS,
  });
}

/** Takes some milliseconds of CPU: call it in a turn (work-queue.ts). Upper case does not make a password stronger. */
export async function isEasyToGuess(password: string, person: Person, nowMs: number): Promise<boolean> {
  // With the first chosen password, because it takes some ten megabytes.
  estimator ??= createEstimator().catch((error: unknown) => {
    estimator = null;
    throw error;
  });
  const { guesses } = (await estimator).check(judged(password), [
    ...wordsOf(person),
    ...WORDS_OF_PRODUCT.map((word) => word.toLowerCase()),
    ...recentYears(nowMs),
  ]);
  return guesses < ENOUGH_GUESSES;
}

/** @throws AppError `invalid_input` for the person's own name, and for a password that is easy to guess. */
export async function requireStrong(
  field: string,
  password: string,
  person: Person,
  nowMs: number,
): Promise<void> {
  if (isOwnName(password, person)) throw invalidField(field, OWN_NAME_AS_PASSWORD);
  if (await isEasyToGuess(password, person, nowMs)) throw invalidField(field, EASY_TO_GUESS);
}

function judged(password: string): string {
  return [...normalizePassword(password).toLowerCase()].slice(0, MAX_JUDGED_LENGTH).join('');
}

function wordsOf({ email, username, fullName, phone }: Person): string[] {
  const name = judged(fullName);
  const texts = [
    name,
    name.replaceAll(' ', ''),
    username,
    email.toLowerCase(),
    phone?.replace(/\D/g, '') ?? '',
  ];
  const words = [...texts, ...texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))];
  // A single letter or digit would make every password that contains it look weaker.
  return [...new Set(words)].filter((word) => word.length > 1);
}

function recentYears(nowMs: number): string[] {
  const year = new Date(nowMs).getUTCFullYear();
  return Array.from({ length: 7 }, (_, ago) => String(year + 1 - ago));
}
