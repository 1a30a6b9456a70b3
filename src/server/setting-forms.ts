/** The forms that texts of settings and commands must have. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { distanceBetween } from '#shared/unknown-names.ts';
import type { DatabaseAddress } from './storage/port/database.ts';
import { isMeantForPostgres } from './storage/postgres-url.ts';

export function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname, pathname, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  const isComplete = (username === '') === (password === '');
  return /^smtps?:$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && isComplete;
}

export function isLoopbackUrl(text: string): boolean {
  return isOrigin(text) && isLoopback(new URL(text).hostname.replace(/^\[|\]$/g, ''));
}

export function isPublicUrl(text: string): boolean {
  // A bare ? or # vanishes when parsed, but not from an address that is built on the text.
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password, pathname } = new URL(text);
  // Pages name their scripts, and each other, from the root of the host.
  return /^https?:$/.test(protocol) && username === '' && password === '' && /^\/*$/.test(pathname);
}

export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

export function isPushHost(text: string): boolean {
  return (
    isLoopbackHost(text) ||
    /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/.test(
      text,
    )
  );
}

export function isLoopbackHost(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host);
}

export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

export const EXAMPLE_TIME = '2027-01-01T06:00+01:00';

/**
 * Reads a day, or a time with or without its offset, in the forms of ISO 8601.
 * @returns milliseconds since 1970, in UTC where no offset is named; null for another form, or a date that no calendar
 *   has.
 */
export function timeFrom(text: string): number | null {
  const [, day, time = 'T00:00', offset = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?) ?(Z|[+-]\d\d:\d\d)?)?$/.exec(text.trim()) ??
    [];
  const timeMs = Date.parse(`${day}${time.replace(' ', 'T')}${offset}`);
  if (day === undefined || Number.isNaN(timeMs)) return null;
  // JavaScript takes 30 February for 2 March.
  const isOfCalendar = new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  return isOfCalendar ? timeMs : null;
}

/** A time as commands print it. @param timeMs since 1970. */
export function inUtc(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** @param text for which `isDatabase` holds. */
export function databaseFrom(text: string): DatabaseAddress {
  if (isMeantForPostgres(text)) return { engine: 'postgres', url: text };
  return { engine: 'sqlite', path: resolve(pathIn(text)) };
}

export function isDatabase(text: string): boolean {
  return isMeantForPostgres(text) || isFilePath(pathIn(text));
}

function pathIn(text: string): string {
  return text.replace(/^file:(?:\/\/)?/, '');
}

function isFilePath(path: string): boolean {
  // `docker run --env-file` passes quotation marks on; a new database would be made under such a name.
  return path !== '' && !path.includes('\0') && !/^[a-z][a-z0-9+]+:|^["']/i.test(path);
}

/** A line whose value, or what follows it, has a `#`, and is not a whole text between quotation marks. */
const LINE_WITH_OPEN_HASH =
  /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=(?![ \t]*(?:"[^"\n]*"|'[^'\n]*')[ \t\r]*$)[^\n]*#/gm;

/** @returns the settings in the text of a `.env` that Node.js ends at a `#`, and systemd does not. */
export function settingsWithOpenHash(text: string, settings: readonly string[]): string[] {
  return [...text.matchAll(LINE_WITH_OPEN_HASH)].flatMap(([, name = '']) =>
    settings.includes(name) ? [name] : [],
  );
}

/** `tips@example.com` or `Tipwell <tips@example.com>`; null for another form. */
export function mailboxFrom(text: string): { readonly name: string; readonly address: string } | null {
  const [, name = '', inBrackets, bare] =
    /^(?:([^<>"\p{C}]{0,60}?) *<([^<>]+)>|([^<>]+))$/u.exec(text.trim()) ?? [];
  const { data: address } = z.email().safeParse(inBrackets ?? bare);
  return address === undefined ? null : { name, address };
}

/** Shorter names of settings are near to those of other programs: PORT, HOST. */
const SHORTEST_MISSPELT = 7;
const MOST_MISTAKES = 2;

/** @returns a warning for each name of the environment that is almost that of a setting. */
export function warnOfMisspelt(names: readonly string[], settings: readonly string[]): string[] {
  return names
    .filter((name) => name.length >= SHORTEST_MISSPELT && !settings.includes(name))
    .flatMap((name) => {
      const meant = settings.find(
        (setting) => setting.length >= SHORTEST_MISSPELT && distanceBetween(name, setting) <= MOST_MISTAKES,
      );
      return meant === undefined ? [] : [`${name} is no setting and changes nothing: is ${meant} meant?`];
    });
}
