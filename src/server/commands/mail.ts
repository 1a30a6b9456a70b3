/** `npm run mail -- test ADDRESS`: sends one mail now, and says in words what the mail server answered. */
import { randomBytes } from 'node:crypto';
import { brand } from '#shared/brand.ts';
import { newMailId } from '#shared/ids.ts';
import type { MailConfig } from '../config.ts';
import { htmlOf, textOf } from '../mail/letter.ts';
import type { RelayOutcome } from '../mail/relay.ts';
import { createSmtpRelay } from '../mail/smtp-relay.ts';
import { type Command, parseWords, UsageError } from './command.ts';

const USAGE = 'npm run mail -- test ADDRESS';

export const testMail: Command = async ({ config: { mail, publicUrl }, words, say }) => {
  const [action, recipient = ''] = parseWords(words, { usage: USAGE, count: 2, options: {} }).positionals;
  if (action !== 'test') throw new UsageError(`Usage: ${USAGE}`);
  if (!mail) {
    say('SMTP_URL and MAIL_FROM are not set, so no mail is sent.');
    return false;
  }
  const relay = createSmtpRelay(mail);
  const letter = {
    subject: `A test from ${brand.name}`,
    lines: [`If you can read this, emails from ${publicUrl} arrive.`],
  };
  const result = await relay.send({
    messageId: `<${newMailId(randomBytes)}@${relay.domain}>`,
    recipient,
    atMs: Date.now(),
    subject: letter.subject,
    text: textOf(letter),
    html: htmlOf(letter),
    unsubscribeUrl: null,
  });
  relay.close();
  for (const line of linesOf(result, recipient, mail)) say(line);
  return result.outcome === 'sent';
};

function linesOf(result: RelayOutcome, recipient: string, { host, port }: MailConfig): readonly string[] {
  const server = `${host}, port ${port},`;
  const { outcome, reply } = result;
  if (outcome === 'sent')
    return [
      `${server} took the mail for ${recipient}: ${reply}`,
      'Look for it in the mailbox. If it lies in the spam folder, docs/mail.md says what is missing.',
    ];
  if (outcome === 'refused') return [`${server} refuses mail for ${recipient} for good: ${reply}`];
  const { reason } = result;
  if (outcome === 'unanswered')
    return [
      `${server} got the mail for ${recipient}, and did not say whether it took it: ${reply} (${reason})`,
    ];
  if (outcome === 'later' && !/ 5\d\d /.test(reason))
    return [`${server} takes no mail for ${recipient} now, and may later: ${reply}`];
  return [`${server} takes no mail from here: ${reply} (${reason})`, adviceOn(reason)];
}

/** Advice to the operator by the codes of a failure; the first that fits counts. */
const ADVICE: readonly (readonly [codes: RegExp, words: string])[] = [
  [/^EAUTH .*\b5\d\d/, 'The user or the password in SMTP_URL is wrong.'],
  [/^EDNS/, 'No machine has this name: look at the host in SMTP_URL.'],
  [/ECONNREFUSED/, 'No mail server answers at this port: look at the host and the port in SMTP_URL.'],
  [/ALTNAME/, 'Its certificate is for another name: write that one as the host in SMTP_URL.'],
  [/CERT_HAS_EXPIRED/, 'Its certificate has expired.'],
  [
    /CERT|ISSUER|LEAF_SIGNATURE/,
    'Nobody whom Node.js knows has signed its certificate: name a file of who did in NODE_EXTRA_CA_CERTS ' +
      '(docs/mail.md).',
  ],
  [/ERR_SSL/, 'This port does not begin with TLS: write smtp:// in SMTP_URL, with port 587 as a rule.'],
  [/^ETLS/, 'It offers no STARTTLS at this port, so it gets no password: write smtps://, or another port.'],
  [/^ETIMEDOUT/, 'This port may begin with TLS (smtps://), or a firewall is in between.'],
  // RFC 3463; Gmail says 5.5.1 to the sender where a login is missing.
  [
    / 5\d\d 5\.[34]\.|(?:RCPT TO|DATA) 5\d\d 5\.5\./,
    'It takes no more mail for now, or is in trouble: wait, or ask who runs it.',
  ],
  [/MAIL FROM|RCPT TO/, 'It does not let you send: look at MAIL_FROM, and at the user in SMTP_URL.'],
];

const adviceOn = (reason: string): string =>
  ADVICE.find(([codes]) => codes.test(reason))?.[1] ??
  'Look at SMTP_URL and MAIL_FROM, and at what this machine may connect to.';
