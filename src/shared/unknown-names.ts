/**
 * What a request names and nothing takes. A misspelt filter that is ignored answers another question than the one that was asked, so
 * that such names are refused, with the name that was probably meant.
 */
import { z } from 'zod';
import type { FieldError } from './errors.ts';

/** The most names that are told of one request: they come from outside, and there may be thousands. */
const MAX_TOLD = 5;
/** In characters; of a longer name only the beginning is told. */
const MAX_TOLD_LENGTH = 40;

/** What is wrong with each name that is not known. */
export function unknownNames(
  kind: 'parameter' | 'field',
  names: readonly string[],
  known: readonly string[],
): FieldError[] {
  return names.slice(0, MAX_TOLD).map((name) => {
    const field = toldName(name);
    const meant = nearestTo(field, known);
    const question = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
    return { field, message: `There is no ${kind} \`${field}\` here.${question}`, isAsSent: true };
  });
}

/** A name from outside as an answer repeats it. */
export function toldName(name: string): string {
  return [...name.slice(0, 2 * MAX_TOLD_LENGTH)].slice(0, MAX_TOLD_LENGTH).join('');
}

/** An object that takes these members alone: one more is refused, and not dropped. */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownNames('field', issue.keys, Object.keys(shape))[0]?.message
        : undefined,
  });
}

/** The known name that is spelt almost like this one, or contains it, or is contained in it. */
function nearestTo(name: string, known: readonly string[]): string | undefined {
  const sent = plain(name);
  if (sent === '') return undefined;
  const byDistance = known
    .map((candidate) => ({ candidate, distance: distanceBetween(sent, plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(sent.length, plain(candidate).length) / 3)
    .sort((one, other) => one.distance - other.distance);
  return byDistance[0]?.candidate ?? known.find((candidate) => isPartOf(sent, plain(candidate)));
}

/** Without what the ways of writing names differ in: `timeZone`, `time_zone`, `time-zone`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function isPartOf(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 3 && (long.startsWith(short) || long.endsWith(short));
}

/** How many letters to change, to add, to leave out or to swap with the next one (optimal string alignment). */
function distanceBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const present = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      present[column] = Math.min(
        (last[column] ?? 0) + 1,
        (present[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, present];
  }
  return last[other.length] ?? 0;
}
