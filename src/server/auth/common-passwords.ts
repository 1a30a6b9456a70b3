/**
 * The most common passwords of eight characters and more, lower case, as lists of leaked ones agree on. Kept short:
 * it stops the first guesses of an online attack, and the login limits stop the rest (OWASP ASVS 5.0, 6.2.4).
 */
import { normalizePassword } from '#shared/accounts.ts';

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  00000000 11111111 11112222 11223344 12121212 12312312 123123123 12341234 12344321 12345678 123456789 1234567890
  123456789a 12345678a 1234567a 1234abcd 123454321 123456abc 1234qwer 123321123 123qwe123 12qwaszx 147258369 147852369
  159357456 159753456 1a2b3c4d 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 1qaz2wsx3edc 22222222 25802580 31415926 33333333
  44444444 55555555 66666666 741852963 77777777 789456123 87654321 88888888 963852741 987654321 9876543210 99999999
  a1234567 a12345678 a123456789 aa123456 aaaaaaaa abc12345 abcd1234 abcdefgh abcdefg1 abc123456 abc123abc access14
  administrator admin123 admin1234 alexander asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl baseball basketball batman123
  blink182 butterfly changeme changeme1 charlie1 chocolate christian computer cookie123 corvette dragon123 elephant
  einstein facebook fairlady football football1 freedom1 fuckyou1 fuckyou123 garfield guinness hello123 hello1234
  helloworld iloveyou iloveyou1 iloveyou2 internet jennifer jordan23 jonathan letmein1 letmein123 liverpool login123
  lovelove loveme123 manchester master123 maverick mercedes michelle midnight minecraft monkey123 mustang1 myspace1
  nicholas ninja123 p4ssw0rd p4ssword p@ssw0rd p@ssword pa55word pa55w0rd passw0rd passwort password password! password1
  password1! password12 password123 password1234 password2 passwords pokemon1 princess princess1 q1w2e3r4 q1w2e3r4t5
  qazwsxedc qwaszx123 qwe123qwe qweasdzxc qwer1234 qwerasdf qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyui
  qwertyuiop qweqweqwe rockyou1 samantha scorpion secret123 september shadow12 sunshine sunshine1 superman superman1
  starwars startrek summer12 swordfish testtest test1234 test12345 trustno1 trustnoone victoria welcome1 welcome12
  welcome123 whatever william1 x1234567 zaq12wsx zaq1zaq1 zxcvbnm1 zxcvbnm123 zxcvbnmm zxczxczxc
  tipwell1 tipwell123 bartender bartender1 cashless
  `
    .trim()
    .split(/\s+/),
);

/** Whether a password is among the most common ones, whatever its case and however it is encoded. */
export function isCommonPassword(password: string): boolean {
  return COMMON_PASSWORDS.has(normalizePassword(password).toLowerCase());
}
