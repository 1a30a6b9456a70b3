/** Which usernames would pass for the site itself, and which only look a little like it. */
import { expect, test } from 'vitest';
import { brand } from '#shared/brand.ts';
import { isPossibleUsername, isReservedUsername } from '#shared/later/reserved-usernames.ts';

const name = brand.name.toLowerCase();

test.each([
  // The brand, wherever it stands and however it is separated.
  name,
  `${name}.support`,
  `${name}_official`,
  `the${name}`,
  `${name}99`,
  `my-${name}-tips`,
  `${name.slice(0, 3)}.${name.slice(3)}`,
  [...name].join('_'),
  brand.name.toUpperCase(),
  // An office as a part, with and without digits.
  'admin',
  'Admin',
  'admin1',
  '1admin',
  '007admin007',
  'admin_1',
  'joe.admin',
  'administrator2',
  'support-joe',
  'joe-support',
  'a.support.b',
  'help',
  'help2',
  'help.desk',
  'helpdesk',
  'moderator.x',
  'the_official',
  'billing-dept',
  'payments2',
  'security-alert',
  'bar.staff',
  'webmaster1',
  'support--x',
  // A word of the site alone, whatever separates its letters.
  'api',
  'me',
  'www',
  'root',
  'team',
  'tips',
  'service',
  'demo',
  'sign-up',
  'customer.service',
  'n.u.l.l',
])('%j is reserved', (username) => {
  expect(isReservedUsername(username)).toBe(true);
  expect(isPossibleUsername(username)).toBe(false);
});

test.each([
  // These words fool nobody as a part of a name.
  'service.dog',
  'room_service',
  'team.rocket',
  'teamrocket',
  'joes-tips',
  'tips.joe',
  'sound_system',
  'root.beer',
  'bar-owner',
  'me.and.you',
  'user42',
  'demo.day',
  'mail.man',
  'dj_api',
  'info-joe',
  // Words that only begin, end or sound like a reserved one.
  'tipsy.joe',
  'annie',
  'alex',
  'sam',
  'badminton',
  'adminton7',
  'helpful.hannah',
  'staffan',
  'officially',
  'supporter',
  'well.tip',
  'paymenta',
  'wellington',
  'securita',
  'moderata',
  '1234',
  '1-2-3',
])('%j is not reserved', (username) => {
  expect(isReservedUsername(username)).toBe(false);
  expect(isPossibleUsername(username)).toBe(true);
});

test.each([
  '',
  'ab',
  'x'.repeat(31),
  '.abc',
  'abc-',
  'a b',
  'a/b',
  'аdam',
  'zoë',
  'abc\n',
  '😀😀😀',
  'x'.repeat(100_000),
])('%j is no username at all', (text) => {
  expect(isPossibleUsername(text)).toBe(false);
});
