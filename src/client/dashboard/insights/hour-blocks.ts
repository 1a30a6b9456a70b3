import type { Insights } from '#shared/records.ts';

/** The tips of some hours that follow each other on one day of the week. */
export interface Block {
  readonly key: string;
  /** 1 for Monday to 7 for Sunday (ISO 8601). */
  readonly weekday: number;
  /** The first hour, 0 to 23. */
  readonly hour: number;
  readonly count: number;
  readonly netCents: number;
}

/**
 * The hours of the week in blocks, by weekday from Monday and by hour from midnight, also those without tips.
 * @param hours how many hours a block has; a divisor of 24.
 */
export function blocksOf(byHour: Insights['byHour'], hours: number): readonly (readonly Block[])[] {
  return Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 / hours }, (_, column) => {
      const [weekday, hour] = [day + 1, column * hours];
      const inside = byHour.filter(
        (one) => one.weekday === weekday && Math.floor(one.hour / hours) === column,
      );
      return {
        key: `${weekday}-${hour}`,
        ...{ weekday, hour },
        count: inside.reduce((sum, { count }) => sum + count, 0),
        netCents: inside.reduce((sum, { netCents }) => sum + netCents, 0),
      };
    }),
  );
}
