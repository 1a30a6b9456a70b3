/** Hands mails to the operator's mail server (SMTP), and hides which error means what. */
import { hostname } from 'node:os';
import { domainToASCII } from 'node:url';
import { createTransport, type NodemailerError } from 'nodemailer';
import { LOGO_ID } from './letter.ts';
import { JUDGING_MS, type Relay, type RelayOutcome, SENDING_MS } from './relay.ts';

/** To connect and to be greeted, and the longest that a connection waits for the next mail. */
const CONNECTING_MS = 20_000;
const CONNECTIONS = 4;
const MAILS_PER_CONNECTION = 100;
const MAX_REPLY_LENGTH = 300;

/**
 * Servers such as Postfix refuse this sender, or one without a password, only where a recipient is named (RFC 3463:
 * 5.1.7, 5.1.8, 5.7.x). The address is not at fault, and settings can be mended.
 */
const IS_ABOUT_SENDER = /^5\.(?:1\.[78]|7\.\d+)$/;

/**
 * A daily limit, the server, its network or the protocol is at fault for some time (RFC 3463). Microsoft says 5.4.1 and
 * 5.5.0 of addresses that nobody has, 5.3.4 is a mail that is too large, and 5.4.4 and 5.4.6 are the address's domain.
 */
const IS_ABOUT_SERVER = /^5\.(?:3\.[0-35]|4\.[2357]|5\.[1-6])$/;

const MAX_ADDRESS_LENGTH = 320;
/** A mailbox without its comments (RFC 5321, section 4.1.2), in Unicode as well; never two of them. */
const ONE_ADDRESS = /^(?:"(?:[^"\\\p{C}]|\\[^\p{C}])+"|[^\s"<>(),:;\\@[\]\p{C}]+)@[^\s"<>(),:;\\@\p{C}]+$/u;

export interface RelaySettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  readonly isSecure: boolean;
  readonly auth: { readonly user: string; readonly password: string } | null;
  readonly isOwnMachine: boolean;
  readonly from: { readonly name: string; readonly address: string };
}

/** @param patience how long handing a mail over, and the answer to it, may take. */
export function createSmtpRelay(
  settings: RelaySettings,
  { sendingMs, judgingMs } = { sendingMs: SENDING_MS, judgingMs: JUDGING_MS },
): Relay {
  const { from } = settings;
  const typed = from.address.slice(from.address.lastIndexOf('@') + 1);
  // Headers are ASCII where the recipient's address is (RFC 6532).
  const domain = domainToASCII(typed) || typed;
  /** The signals of mails that the server has all of. */
  const handedOver = new WeakSet<AbortSignal>();
  const transport = openTransport(settings, domain, sendingMs + judgingMs, (signal) =>
    handedOver.add(signal),
  );

  return {
    domain,

    async send({ messageId, recipient, atMs, subject, text, html, logo, unsubscribeUrl }) {
      if (recipient.length > MAX_ADDRESS_LENGTH || !ONE_ADDRESS.test(recipient))
        return { outcome: 'refused', reason: 'no address', reply: 'This isn’t an email address.' };
      const ending = new AbortController();
      const { signal } = ending;
      let tooLong = setTimeout(() => {
        if (handedOver.has(signal)) tooLong = setTimeout(() => ending.abort(), judgingMs);
        else ending.abort();
      }, sendingMs);
      try {
        const { response } = await transport.sendMail({
          // Objects, because a text would be parsed as a list of addresses.
          from: { name: from.name, address: from.address },
          to: { name: '', address: recipient },
          envelope: { from: from.address, to: [recipient] },
          messageId,
          date: new Date(atMs),
          subject,
          text,
          html,
          ...(logo && {
            attachments: [
              {
                cid: LOGO_ID,
                filename: 'logo.png',
                content: Buffer.from(logo),
                contentDisposition: 'inline' as const,
              },
            ],
          }),
          headers: {
            // RFC 3834: no out-of-office answers.
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl !== null && {
              'List-Unsubscribe': `<${new URL(unsubscribeUrl).href}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
          signal,
        });
        return { outcome: 'sent', reply: oneLine(response) };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return outcomeOf(error, handedOver.has(signal));
      } finally {
        clearTimeout(tooLong);
      }
    },

    close: () => transport.close({ force: true }),
  };
}

/** @param mailMs the most time for one mail. @param onHandedOver is told the signal of a mail of which all was sent. */
function openTransport(
  { host, port, isSecure, auth, isOwnMachine }: RelaySettings,
  domain: string,
  mailMs: number,
  onHandedOver: (signal: AbortSignal) => void,
) {
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure: isSecure,
    // Without a domain the machine would call itself [127.0.0.1], which a server elsewhere knows to be wrong.
    ...(!hostname().includes('.') && { name: domain }),
    // A password travels in the clear to this machine alone.
    requireTLS: auth !== null && !isSecure && !isOwnMachine,
    tls: { rejectUnauthorized: !isOwnMachine },
    maxConnections: CONNECTIONS,
    maxMessages: MAILS_PER_CONNECTION,
    // A server may end a connection after some mails or seconds: what it got nothing of goes out by another one, once.
    maxRequeues: 1,
    connectionTimeout: CONNECTING_MS,
    greetingTimeout: CONNECTING_MS,
    dnsTimeout: CONNECTING_MS,
    idleTimeout: CONNECTING_MS,
    // Each mail has a time of its own.
    socketTimeout: mailMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(auth && { auth: { user: auth.user, pass: auth.password } }),
  });
  // Idle connections end, and each mail hears of its own trouble.
  transport.on('error', () => {});
  transport.use('stream', ({ data: { signal }, message }, done) => {
    message.processFunc((content) => {
      content.once('end', () => signal && onHandedOver(signal));
      return content;
    });
    // What went wrong is written into the envelope, and would be found there by another connection.
    const { from, to } = message.getEnvelope();
    message.getEnvelope = () => ({ from, to: [...to] });
    done();
  });
  return transport;
}

function outcomeOf(error: NodemailerError, isHandedOver: boolean): RelayOutcome {
  const { code = 'ESMTP', originalCode, responseCode, command = '', response } = error;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1] ?? '';
  const reason = [code, originalCode, command, responseCode, enhanced].filter((part) => part).join(' ');
  const reply = oneLine(response ?? error.message);
  // The address or the mail is at fault after these commands, before them the server or its settings.
  const isAboutMail = command === 'RCPT TO' || command === 'DATA';
  const isOther = IS_ABOUT_SERVER.test(enhanced) || (command === 'RCPT TO' && IS_ABOUT_SENDER.test(enhanced));
  if (isAboutMail && isOther) return { outcome: 'later', reason, reply };
  if (isAboutMail && responseCode !== undefined)
    return { outcome: responseCode >= 500 ? 'refused' : 'later', reason, reply };
  // An address that no server could be told of.
  if (code === 'EENVELOPE' && command === 'API') return { outcome: 'refused', reason, reply };
  return { outcome: isHandedOver ? 'unanswered' : 'unreachable', reason, reply };
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REPLY_LENGTH);
}
