/**
 * The passwords that everybody tries first: some 18,000 of eight characters and more, as lists of leaked ones agree on
 * (OWASP ASVS 5.0, 6.2.4, asks for 3,000), and what such lists leave out because a rule says it shorter.
 */
import { dictionary } from '@zxcvbn-ts/language-common';
import { normalizePassword } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';

const name = brand.name.toLowerCase();
const ALSO_TRIED = [
  ...[`${name}1`, `${name}12`, `${name}123`, 'bartender1', 'bartender123', 'cashless', 'cashless1'],
  ...['admin1234', 'login123', 'p@ssword', 'password1!', 'test12345', 'rockyou1'],
];

const COMMON_PASSWORDS: ReadonlySet<string> = new Set([...dictionary['passwords-common'], ...ALSO_TRIED]);

/** A short piece a few times over: 00000000, abcabcabc, 12341234. */
const REPEATED = /^(?=.{0,16}$)(.{1,4})\1+$/su;
const ROWS = ['01234567890', '09876543210', 'abcdefghijklmnopqrstuvwxyz', 'zyxwvutsrqponmlkjihgfedcba'];

/** Whether a password is among the most common ones, whatever its case and however it is encoded. */
export function isCommonPassword(password: string): boolean {
  const plain = normalizePassword(password).toLowerCase();
  return COMMON_PASSWORDS.has(plain) || REPEATED.test(plain) || ROWS.some((row) => row.includes(plain));
}
