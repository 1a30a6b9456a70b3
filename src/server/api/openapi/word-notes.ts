/** The words and examples of openapi-notes.ts for the routes that are about words between giver and receiver. */
import { idPattern } from '#shared/ids.ts';
import { RECEIVED } from './examples.ts';
import { type RouteNotes, TRANSACTION_ID } from './tip-notes.ts';

const RECEIVED_ID = {
  ...TRANSACTION_ID,
  description: 'A tip that you received. Those of other people answer as if there were none.',
  schema: { type: 'string', pattern: idPattern('txn').source },
};

const READY = { texts: ['Thank you!', 'Thanks, see you soon!', 'You made my day!'] };

/** The notes of each route, by its procedure. */
export const WORD_NOTES: Readonly<Record<string, RouteNotes>> = {
  'words.thank': {
    summary: 'Thank the giver of a tip',
    description:
      'Your answer to a tip, which its giver sees at once and on the receipt. You can say it once: the same text again changes nothing, another one is refused with `thanked_already`.',
    parameters: [RECEIVED_ID],
    request: { text: 'Thanks, see you soon!' },
    response: { ...RECEIVED, thanked_at: '2024-06-01T20:17:00.000Z' },
  },
  'words.hide': {
    summary: 'Hide the words of a tip, or show them again',
    description:
      'Hides the message and the name that a giver has added, for you alone; the giver is not told. The tip stays as it is.',
    parameters: [RECEIVED_ID],
    request: { hidden: true },
    response: { ...RECEIVED, message: null, giver_name: null, words_hidden: true },
  },
  'words.report': {
    summary: 'Report the words of a tip',
    description:
      'Shows the message, and the accounts of both of you, to the operator of this server, and hides it. The giver is not told. A second report of the same tip changes nothing. The request has no body.',
    parameters: [RECEIVED_ID],
    response: {
      ...RECEIVED,
      ...{ message: null, giver_name: null, words_hidden: true, reported_at: '2024-06-01T20:18:00.000Z' },
    },
  },
  'words.block': {
    summary: 'Block the giver of a tip',
    description:
      'Takes no tips and no words from this giver any more, for the service that they tipped and on all of your pages that show the same name as its page: to them your codes answer as if they were paused, and nothing tells them why. The block stays with the service when its page gets another name or another code. A page that shows another name has blocks of its own. What they gave before stays. A giver without an account cannot be blocked. The request has no body.',
    parameters: [RECEIVED_ID],
  },
  'words.blocked': {
    summary: 'List the givers whom you have blocked',
    description:
      'The newest first, once for each service, each with the tip by which you blocked them; 200 at most.',
    response: [
      {
        giver_id: RECEIVED.giver_id,
        blocked_at: '2024-06-01T20:19:00.000Z',
        service_category: RECEIVED.service_category,
        tip: RECEIVED,
      },
    ],
  },
  'words.unblock': {
    summary: 'Take tips of a giver again',
    description: 'On all of your pages. The giver is not told.',
    parameters: [
      {
        name: 'giver_id',
        in: 'path',
        required: true,
        description: 'The pseudonym of the giver, as your tips and the list of blocked givers have it.',
        schema: { type: 'string', pattern: idPattern('gvr').source },
        example: RECEIVED.giver_id,
      },
    ],
  },
  'words.thankYous': {
    summary: 'List your thank-yous',
    description: 'Those that you keep ready to answer tips with; none until you choose some.',
    response: READY,
  },
  'words.saveThankYous': {
    summary: 'Choose your thank-yous',
    description: 'Takes the place of those that you kept ready before. Blank ones are left out.',
    request: READY,
    response: READY,
  },
};
