/**
 * A TypeScript program that calls every operation of the API description by the clients that three generators
 * make of it. The bodies and parameters are the examples of the description, so that the compiler holds those
 * against the generated types; what a request has to find on the server comes from a scene.
 */
import { type Description, type Operation, operationsOf } from './api-description.ts';

/** What an account has for its client to work with. */
export interface Scene {
  readonly name: string;
  readonly token: string;
  /** A code of the account, one that may be replaced, and one of somebody else's. */
  readonly code: string;
  readonly spareCode: string;
  readonly othersCode: string;
  /** Tips that the account received. */
  readonly tips: readonly string[];
  /** Who gave them, as the account knows them. */
  readonly giver: string;
  readonly webhook: string;
  readonly event: string;
}

/** Expressions in place of examples, by the operation. */
interface Changes {
  /** Of the path and the query. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, string>>;
}

const OWN_CODE = { parameters: { qr_code_id: 's.code' } };
const WEBHOOK = { parameters: { webhook_id: 's.webhook' } };
const tipAt = (place: number) => ({ parameters: { transaction_id: `s.tips[${place}] ?? ''` } });

const CHANGES: Readonly<Record<string, Changes>> = {
  auth_register: { body: { email: "'new-' + s.name + '@example.com'", username: "'new-' + s.name" } },
  auth_login: { body: { email: "s.name + '@example.com'" } },
  auth_updateProfile: { body: { service_categories: "['bartender', 'dj', 'barber']" } },
  qrCodes_create: { body: { service_category: "'barber'" } },
  qrCodes_update: { ...OWN_CODE, body: { is_listed: 'true' } },
  qrCodes_lookup: OWN_CODE,
  qrCodes_setPhoto: OWN_CODE,
  qrCodes_removePhoto: OWN_CODE,
  qrCodes_replace: { parameters: { qr_code_id: 's.spareCode' } },
  qrCodes_print: { parameters: { ...OWN_CODE.parameters, file: "'code.png'" } },
  qrCodes_provider: { parameters: { username: 's.name' } },
  transactions_create: { body: { receiver_qr_id: 's.othersCode', service_category: "'dj'" } },
  transactions_get: tipAt(0),
  transactions_refund: tipAt(1),
  transactions_mailReceipt: tipAt(0),
  words_thank: tipAt(0),
  words_hide: tipAt(0),
  words_report: tipAt(0),
  words_block: tipAt(2),
  words_unblock: { parameters: { giver_id: 's.giver' } },
  webhooks_events: { parameters: { after: 's.event' } },
  webhooks_add: { body: { url: "baseUrl + '/nowhere'" } },
  webhooks_change: WEBHOOK,
  webhooks_rotate: WEBHOOK,
  webhooks_remove: WEBHOOK,
  webhooks_deliveries: WEBHOOK,
  webhooks_test: WEBHOOK,
  webhooks_sendAgain: { parameters: { ...WEBHOOK.parameters, event_id: 's.event' } },
};

export const GENERATORS = ['heyApi', 'orval', 'oazapfts'] as const;
type Generator = (typeof GENERATORS)[number];

/**
 * The source of a module whose `calls` has a function for each operation and generator, which answers the
 * status. What a generator cannot do is left out: only hey-api reads streams, which have no end, and oazapfts
 * reads every answer as JSON.
 */
export function callsSource(document: Description): string {
  const functions = operationsOf(document).flatMap(({ operation }) =>
    GENERATORS.filter((generator) => canCall(generator, operation)).map(
      (generator) =>
        `  ${JSON.stringify(`${operation.operationId} ${generator}`)}: ${CALLS[generator](operation)},`,
    ),
  );
  return `
import * as heyApi from './hey-api/sdk.gen';
import * as oazapfts from './oazapfts';
import * as orval from './orval';

interface Scene {
  readonly name: string;
  readonly token: string;
  readonly code: string;
  readonly spareCode: string;
  readonly othersCode: string;
  readonly tips: readonly string[];
  readonly giver: string;
  readonly webhook: string;
  readonly event: string;
}
type Call = (s: Scene, baseUrl: string, photo: Blob) => Promise<number | undefined>;

const headersOf = (s: Scene) => ({ Authorization: 'Bearer ' + s.token });

export const calls: Readonly<Record<string, Call>> = {
${functions.join('\n')}
};
`;
}

function canCall(generator: Generator, operation: Operation): boolean {
  const types = answerTypes(operation);
  if (types.includes('text/event-stream')) return generator === 'heyApi';
  return generator !== 'oazapfts' || types.length === 0 || types.includes('application/json');
}

const CALLS: Readonly<Record<Generator, (operation: Operation) => string>> = {
  heyApi(operation) {
    const parts = partsOf(operation);
    const options = [
      'auth: s.token',
      'baseUrl',
      ...(['path', 'query'] as const)
        .filter((place) => parts[place].length > 0)
        .map(
          (place) => `${place}: { ${parts[place].map(([name, value]) => `${name}: ${value}`).join(', ')} }`,
        ),
      ...(parts.header.length > 0
        ? [`headers: { ${parts.header.map(([name, value]) => `'${name}': ${value}`).join(', ')} }`]
        : []),
      ...(parts.body === null ? [] : [`body: ${parts.body}`]),
    ];
    const call = `heyApi.${nameOf(operation)}({ ${options.join(', ')} })`;
    if (!answerTypes(operation).includes('text/event-stream'))
      return `async (s, baseUrl, photo) => (await ${call}).response?.status`;
    return `async (s, baseUrl) => {
    for await (const _ of (await ${call}).stream) return 200;
    return undefined;
  }`;
  },

  orval(operation) {
    const { path, query, body } = partsOf(operation);
    const parameters = query.map(([name, value]) => `${name}: ${value}`);
    const values = [
      ...path.map(([, value]) => value),
      ...(body === null ? [] : [body]),
      ...(hasQuery(operation) ? [`{ ${parameters.join(', ')} }`] : []),
      '{ headers: headersOf(s) }',
    ];
    return `async (s, baseUrl, photo) => (await orval.${nameOf(operation)}(${values.join(', ')})).status`;
  },

  oazapfts(operation) {
    const { path, query, header, body } = partsOf(operation);
    const isRequired = ([name]: Named) =>
      operation.parameters?.some((each) => each.name === name && each.required);
    const options = [...query, ...header].filter((each) => !isRequired(each));
    const named = options.map(([name, value]) => `${oazapftsName(name)}: ${value}`);
    const values = [
      ...[...path, ...query.filter(isRequired)].map(([, value]) => value),
      ...(body === null ? [] : [body]),
      ...(hasQuery(operation) || header.length > 0 ? [`{ ${named.join(', ')} }`] : []),
      '{ baseUrl, headers: headersOf(s) }',
    ];
    return `async (s, baseUrl, photo) => (await oazapfts.${nameOf(operation)}(${values.join(', ')})).status`;
  },
};

type Named = readonly [name: string, expression: string];

/** The parts of a request as expressions; parameters without an example are left out. */
function partsOf({ operationId, parameters = [], requestBody }: Operation) {
  const { parameters: changed = {}, body = {} } = CHANGES[operationId] ?? {};
  const ofPlace = (place: string): Named[] =>
    parameters
      .filter((each) => each.in === place && each.example !== undefined)
      .map(({ name, example }) => [name, changed[name] ?? `${JSON.stringify(example)} as const`]);
  const json = requestBody?.content['application/json'];
  const examples = Object.entries(Object(json?.example)).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ]);
  const members = Object.entries({ ...Object.fromEntries(examples), ...body }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return {
    path: ofPlace('path'),
    query: ofPlace('query'),
    header: ofPlace('header'),
    body: json ? `{ ${members.join(', ')} }` : requestBody ? 'photo' : null,
  };
}

const hasQuery = ({ parameters = [] }: Operation) => parameters.some((each) => each.in === 'query');

function answerTypes({ responses }: Operation): readonly string[] {
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return Object.keys(success?.[1].content ?? {});
}

/** `auth_updateProfile` is `authUpdateProfile`. */
const nameOf = ({ operationId }: Operation) =>
  operationId.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** oazapfts puts parameters into camelCase, and a dollar before what JavaScript could take for a keyword. */
function oazapftsName(name: string): string {
  const camel = name.toLowerCase().replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase());
  return camel === 'from' ? '$from' : camel;
}
