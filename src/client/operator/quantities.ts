/** Sizes, ages and counts, as an operator reads them. */
import { PAGE_LANGUAGE } from '#shared/language.ts';

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const THOUSAND = 1_000;

/** Such as `41 MB`, and with one decimal below ten. */
export function formatBytes(bytes: number): string {
  const steps = Math.floor(Math.log10(Math.max(1, Math.abs(bytes))) / 3);
  const power = Math.min(SIZES.length - 1, steps);
  const value = bytes / THOUSAND ** power;
  return new Intl.NumberFormat(PAGE_LANGUAGE, {
    style: 'unit',
    unit: SIZES[power] ?? 'byte',
    maximumFractionDigits: Math.abs(value) < 10 && power > 0 ? 1 : 0,
  }).format(value);
}

const relative = new Intl.RelativeTimeFormat(PAGE_LANGUAGE, { numeric: 'always' });
const AGES = [
  ['day', 86_400_000, 2 * 86_400_000],
  ['hour', 3_600_000, 2 * 3_600_000],
  ['minute', 60_000, 60_000],
] as const;

/** Such as `5 hours ago`. @param at and @param now ISO 8601. */
export function formatAge(at: string, now: string): string {
  const ageMs = Date.parse(now) - Date.parse(at);
  const [unit, length] = AGES.find(([, , from]) => ageMs >= from) ?? [];
  return unit === undefined ? 'just now' : relative.format(-Math.floor(ageMs / length), unit);
}

export const formatCount = (count: number) => new Intl.NumberFormat(PAGE_LANGUAGE).format(count);

/** Such as `1 session`, `2 sessions`. */
export const counted = (count: number, unit: string) =>
  `${formatCount(count)} ${unit}${count === 1 ? '' : 's'}`;
