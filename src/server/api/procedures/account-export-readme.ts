/** Writes the file of an account's archive that explains the others. */
import type { Account } from '#server/storage/port/storage.ts';
import { currencyName } from '#shared/amount-in-words.ts';
import { brand } from '#shared/brand.ts';
import { isoTime } from '#shared/calendar.ts';

export function exportReadme({ username }: Account, exportedAtMs: number, timeZone: string): string {
  return `${brand.name}: everything that is stored about the account ${username}
Exported at ${isoTime(exportedAtMs)}

WHAT IS IN IT

account.json
  Your profile, when you registered, the usernames that you had before, the sums
  of your tips, where you are logged in, your API keys with what they may do,
  your passkeys, whether you have an authenticator app and how many recovery
  codes are left,
  your webhooks with what they answered to the last events,
  the devices that get notifications of tips, your QR codes with their tip pages,
  the thank-yous that you keep ready, the givers whom you have blocked, the
  account at the payment service at which your tips arrive, if you have one,
  whether your email is confirmed, takes emails and gets a monthly statement,
  which terms of use you accepted, by the SHA-256 of their text, and what whoever
  runs this server did to your account by hand.
  Times are in UTC and amounts in ${currencyName()}.

transactions.json
  Every tip that you sent or received, the newest first, as
  GET /api/transactions answers it. Refunded tips are in it as well. Each says
  how it was paid: simulated (no money moved), test (test money) or live; until
  when its money is held on the card; and what happened to the money since.

transactions.csv
  The same tips for spreadsheets, with a row for each refund and each change by a
  dispute on the date on which it was made. Dates and times are those of
  ${timeZone}; Day is the one that a row counts on, by the hour at which your
  days begin. A text that a spreadsheet would take for a formula has an
  apostrophe in front.

payments.json
  Every payment that you began at the payment service, the newest first: what
  became of it (created and pending wait for you to pay; authorised holds the
  money on your card; succeeded, failed, expired, refunded, and cancelled, of
  which nothing was charged), the sums, the times, the transaction that it is of, and
  the names of its page and its charge there. One that was never paid is no
  transaction. It is empty where payments are simulated.

old-codes.json
  Your QR codes that were replaced or retired, the one made last first, as
  GET /api/ended-qr-codes answers them.

events.json
  What happened to your account, the oldest first, as GET /api/events answers it.

words.json
  The messages and the names that you added to your tips, with the transaction
  that each belongs to. What others wrote to you is in transactions.json, but
  for what you have hidden.

account.schema.json, transactions.schema.json, payments.schema.json,
old-codes.schema.json, events.schema.json and words.schema.json
  The form of the six JSON files, as JSON Schema 2020-12.

qr-codes/
  The picture of each of your QR codes, under the code.

photos/
  The photo of each tip page that has one, under its code.

WHAT IS NOT IN IT

Your password: it is kept only as a hash (Argon2id), from which nobody can
read it, and which is worth nothing to you.

The tokens of your sessions and the texts of your API keys: they are kept only
as hashes as well.

The secret of your authenticator app, your recovery codes and the keys of your
passkeys: whoever has the first two can log in with your password, and the third
is worth nothing without your device.

The secrets of your webhooks: whoever has them can sign events in our name, and
your programs have them already.

The addresses of your devices at their push services, with the keys that
encrypt for them: whoever has these can send notifications to your devices, and
your browsers have them already.

The names of those who tipped you, unless they gave them with a tip: a giver is
shown to you under a pseudonym that stays the same for all of their tips to
you. Who they are is theirs.

The keys by which a repeated request for a tip or a refund is known: apps make
them up, and they say nothing of you.

The accounts of those whom you tipped at the payment service. They are theirs.

Emails that wait to be sent: they are gone once they were, after two days and
an hour at the latest. The tokens of links in emails are kept only as hashes.

Counts of attempts, such as those of wrong passwords: they are kept under
hashes until the time of their limit is over, a day or less, and thirty days for
a change of the username.

Cards and bank accounts: none is stored here. Simulated tips need none; others
are paid at a payment service, which keeps what you tell it on its own pages.
`;
}
