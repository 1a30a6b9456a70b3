/** The page about privacy of an operator who has written none: what this software stores, with these settings. */
import { counted } from '#shared/counted.ts';

export interface StoredFacts {
  readonly siteName: string;
  readonly contact: string | null;
  readonly isPaidByStripe: boolean;
  readonly sendsMail: boolean;
  readonly takesGuestTips: boolean;
  readonly hashesLogNames: boolean;
  readonly sessionDays: number;
  readonly closingDays: number;
}

/** Markdown. */
export function defaultPrivacy(facts: StoredFacts): string {
  const { siteName, contact, sendsMail, sessionDays, closingDays } = facts;
  const plain = (text: string) => text.replace(/[\\`*_{}[\]()<>#+.!|~&:/@-]/g, (sign) => `\\${sign}`);
  const parts: readonly (string | false)[] = [
    '# Privacy',
    `This is what ${plain(siteName)} stores about you, and for how long.`,
    contact !== null && `Questions? Contact ${plain(contact)}.`,

    '## Your account',
    'Your email, username, name and phone number if you gave one, a hash of your password, the services that you ' +
      'offer, when you signed up, and which terms of use you accepted. Usernames that you had before stay yours.',
    `For each device where you are logged in: what browser it is, and when you logged in. A login ends after ` +
      `${counted(sessionDays, 'day')} without use, and after 90 days at the latest.`,
    'If you add them: names and public keys of passkeys, the secret of an authenticator app, encrypted, and hashes of ' +
      'recovery codes.',
    'If you connect programs: names of API keys, their hashes, where they may be used from and when they last were; ' +
      'addresses and secrets of webhooks, and what each answered the last hundred times. A webhook is told of your tips, ' +
      'by amount and time and without names, at the address that you gave.',
    'What the people who run this site did to your account, when and why; your profile shows it. They can see what ' +
      'is stored here, and messages that were reported.',
    'If you turn on notifications: the address that your browser gave for them. Each notification goes through ' +
      'the push service of your browser, encrypted.',

    '## Tips',
    'Each tip: the amount, the fees, the service, the time, who gave it and who received it. This record is never ' +
      'changed or erased, because two people rely on it. Who receives a tip sees your name only if you add it.',
    'Messages and thank-yous that go with tips, what was reported, and whom you blocked.',
    'Codes, and what their pages show: a name, a greeting and a photo. Photos are stored without the place and time ' +
      'where they were taken.',
    facts.takesGuestTips &&
      'You can tip without an account. Stored are then the tip and the message that you write' +
        (sendsMail
          ? ', and an email that you type for the receipt until that was sent, for two days and an hour at most.'
          : '.'),

    '## Payments',
    facts.isPaidByStripe
      ? 'Cards are handled by Stripe, on pages of Stripe. No card number reaches this site. Stored are the ids that ' +
        'Stripe gives to payments and to the accounts of who receives tips, and the country and the state of these ' +
        'accounts. When you set up how you are paid, Stripe is told your email, your services and the address of your page.'
      : 'Payments are simulated: no card and no bank is asked, and nothing is stored about them but the tip.',

    '## Email',
    sendsMail
      ? 'Emails about your account, and the receipts and statements that you ask for. An email that waits to be sent ' +
        'is stored until it was sent, for two days and an hour at most, and goes through the mail server that this ' +
        'site uses. Stored are whether your email is confirmed, and what a mail server said when it refused it. The ' +
        'emails hold no pictures that tell when you read them.'
      : 'This site sends no email.',

    '## Addresses',
    `Failed logins and other attempts are counted, under hashes of email and network address, until the time ` +
      `of the limit is over. The log of the server has ${facts.hashesLogNames ? 'hashes of network addresses and accounts' : 'the network address and the account'} ` +
      'of each request, hashes of emails and the hosts of webhooks. It has no messages, no names and ' +
      'no passwords.',

    '## On your device',
    'One cookie, which marks a device where you have logged in before. The storage of your browser has your login, ' +
      'your codes for when there is no connection, which tip you saw last, and what you chose for sounds and ' +
      'notifications; while a tab is open, also the tip that you are about to give. Logging out removes your login and ' +
      'your codes. There is no tracking, and the pages of this site load nothing from others.',

    '## Your rights',
    'Your profile has **Download My Data**, a file with everything that is stored about you, and **Close Account**. ' +
      `A closed account can come back for ${closingDays} days. After that your email, name, phone number, photos, ` +
      'messages and devices are erased; a message that was reported goes with its report. Tips stay, under the name “Closed account”. A hash of your username stays, ' +
      'so that nobody else can have it, and so does what the people who run this site did to your account, without your name.',
    // Whether it is, not every process knows: another one, or another program, may make the backups.
    'The site may be backed up every day. Backups are kept for two weeks or more, and what you erase stays in them ' +
      'until they end.',
  ];
  return `${parts.filter((part) => part !== false).join('\n\n')}\n`;
}
