/** What the outbox asks of a mail server. */

/** The longest that handing a mail over may take. */
export const SENDING_MS = 60_000;
/** A server that has all of a mail may look into it for so long; a filter of Postfix gets 100 seconds. */
export const JUDGING_MS = 150_000;

export interface OutgoingMail {
  readonly messageId: string;
  readonly recipient: string;
  readonly atMs: number;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly logo?: Uint8Array | null;
  /** One click there ends mails of this kind (RFC 8058); null for mails that somebody asked for or needs. */
  readonly unsubscribeUrl: string | null;
}

/**
 * `refused`: never for this address. `later`: perhaps another time. `unreachable`: the server takes no mail now.
 * `unanswered`: the server has all of the mail, and did not say whether it took it.
 */
export type RelayOutcome =
  | { readonly outcome: 'sent'; readonly reply: string }
  | {
      readonly outcome: 'refused' | 'later' | 'unreachable' | 'unanswered';
      /** Codes alone, for the log. */
      readonly reason: string;
      /** What the server said, or what happened. It may name the address. */
      readonly reply: string;
    };

export interface Relay {
  /** The domain of the sender, which Message-IDs end with. */
  readonly domain: string;
  send(mail: OutgoingMail): Promise<RelayOutcome>;
  /** Breaks off what is under way. */
  close(): void;
}
