/**
 * Whether a password is easy to guess, by the estimator of zxcvbn (Wheeler, USENIX Security 2016): it counts the guesses of somebody who
 * knows 49,000 leaked passwords (OWASP ASVS 5.0, 6.2.4 and 6.2.11), the person, this product, dates, keyboards and how people bend words.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { normalizePassword } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';

/** As many guesses as eight random characters take by the estimator's own count, so that no such password is refused. */
const ENOUGH_GUESSES = 1e8;
/** In characters. The work grows faster than the length: 64 take up to 15 ms of a processor, 256 would take hundreds (measured). */
const MAX_JUDGED_LENGTH = 64;
/** How many ways of reading digits and signs as letters are tried; the estimator's own bound of 100 takes three times as long. */
const MAX_READINGS = 8;

/** What somebody tries at this product before anything else. */
const WORDS_OF_PRODUCT = [
  ...[brand.name, 'cashless', 'tipping', 'tip jar', 'gratuity', 'admin', 'login', 'test'],
  ...Object.values(CATEGORY_LABELS),
];

/** Whom a password is for. */
interface Person {
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly phone: string | null;
}

let estimator: ZxcvbnFactory | null = null;

/** Takes some milliseconds of a processor, so that whoever asks for it from outside waits for a turn. Case is no help. */
export function isEasyToGuess(password: string, person: Person, nowMs: number): boolean {
  // Some ten megabytes and 30 ms, at the first password that is chosen.
  estimator ??= new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    maxLength: MAX_JUDGED_LENGTH,
    l33tMaxSubstitutions: MAX_READINGS,
  });
  const { guesses } = estimator.check(judged(password), [
    ...messagesOf(person),
    ...WORDS_OF_PRODUCT.map((word) => word.toLowerCase()),
    ...recentYears(nowMs),
  ]);
  return guesses < ENOUGH_GUESSES;
}

function judged(password: string): string {
  return [...normalizePassword(password).toLowerCase()].slice(0, MAX_JUDGED_LENGTH).join('');
}

function messagesOf({ email, username, fullName, phone }: Person): string[] {
  const name = judged(fullName);
  const texts = [
    name,
    name.replaceAll(' ', ''),
    username,
    email.toLowerCase(),
    phone?.replace(/\D/g, '') ?? '',
  ];
  const words = [...texts, ...texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))];
  // A single letter or digit would make every password with it look weaker.
  return [...new Set(words)].filter((word) => word.length > 1);
}

/** The year, those before it that people write into passwords, and the next. */
function recentYears(nowMs: number): string[] {
  const year = new Date(nowMs).getUTCFullYear();
  return Array.from({ length: 7 }, (_, ago) => String(year + 1 - ago));
}
