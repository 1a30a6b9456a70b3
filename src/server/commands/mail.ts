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
    lines: [`The mail server of ${publicUrl} works.`],
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
  switch (result.outcome) {
    case 'sent':
      return [
        `${server} took the mail for ${recipient}: ${result.reply}`,
        'Look for it in the mailbox. If it lies in the spam folder, docs/mail.md says what is missing.',
      ];
    case 'refused':
      return [`${server} refuses mail for ${recipient} for good: ${result.reply}`];
    case 'later':
      return [`${server} takes no mail for ${recipient} now, and may later: ${result.reply}`];
    case 'unreachable':
      return [
        `${server} takes no mail from here: ${result.reply} (${result.reason})`,
        'Look at SMTP_URL and MAIL_FROM, and at what this machine may connect to.',
      ];
  }
}
