/** Describes the device of a session in words. The header itself, which can identify people, is not kept. */
import Bowser from 'bowser';

/** Characters; no browser sends as many. */
const MAX_LENGTH = 512;
const MAX_WORD_LENGTH = 30;

/** Reads a User-Agent header (RFC 9110, section 10.1.5): "Chrome on Android", "curl", or '' when unknown. */
export function deviceFrom(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, MAX_LENGTH).trim();
  if (text === '') return '';
  const { browser, os } = Bowser.parse(text);
  const program = wordFrom(browser.name) ?? wordFrom(text.split(/[\s/]/, 1)[0]);
  const system = wordFrom(os.name);
  if (program === null) return system ?? '';
  return system === null ? program : `${program} on ${system}`;
}

function wordFrom(name: string | undefined): string | null {
  const word = (name ?? '').replace(/[^A-Za-z0-9 ._-]/g, '').trim();
  return word === '' ? null : word.slice(0, MAX_WORD_LENGTH);
}
