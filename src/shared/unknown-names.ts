/** Refuses unknown names in requests: ignoring a misspelt filter would answer another question than was asked. */
import { z } from 'zod';
import type { FieldError } from './errors.ts';

/** The most names in an answer; a request may have thousands. */
const MAX_TOLD = 5;
const MAX_TOLD_LENGTH = 40;

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

export function toldName(name: string): string {
  return [...name.slice(0, 2 * MAX_TOLD_LENGTH)].slice(0, MAX_TOLD_LENGTH).join('');
}

export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownNames('field', issue.keys, Object.keys(shape))[0]?.message
        : undefined,
  });
}

/** The known name that is spelt almost like this one, contains it, or is contained in it. */
function nearestTo(name: string, known: readonly string[]): string | undefined {
  const sent = plain(name);
  if (sent === '') return undefined;
  const byDistance = known
    .map((candidate) => ({ candidate, distance: distanceBetween(sent, plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(sent.length, plain(candidate).length) / 3)
    .sort((one, other) => one.distance - other.distance);
  return byDistance[0]?.candidate ?? known.find((candidate) => isPartOf(sent, plain(candidate)));
}

/** Removes differences of spelling conventions: `timeZone`, `time_zone`, `time-zone`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function isPartOf(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 3 && (long.startsWith(short) || long.endsWith(short));
}

/** Optimal string alignment: the number of letters to change, add, remove or swap with the next. */
export function distanceBetween(one: string, other: string): number {
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
