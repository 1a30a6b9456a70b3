/** Times in the browser's time zone, apart from the calendar, which a tip page would load with it. */
import { PAGE_LANGUAGE } from '#shared/language.ts';

/** @returns what writes times in the time zone that the device is in now, in these parts. */
export function formatHere(parts: Intl.DateTimeFormatOptions): (time: Date) => string {
  // A format keeps the time zone in which it was made, and making one is slow.
  let made: { readonly offset: number; readonly format: Intl.DateTimeFormat } | null = null;
  return (time) => {
    const offset = new Date().getTimezoneOffset();
    if (made?.offset !== offset) made = { offset, format: new Intl.DateTimeFormat(PAGE_LANGUAGE, parts) };
    return made.format.format(time);
  };
}
