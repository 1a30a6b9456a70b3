/** Composes the product: the chapters over the storage, and the HTTP surface in the order a request meets it. */
import { Hono } from 'hono';
import { AppError } from '#shared/errors.ts';
import { createConsoleCheck, serveConsole } from './api/console/console-door.ts';
import { createClientAddress } from './api/http/client-address.ts';
import { allowOrigins, guardDoors } from './api/http/door.ts';
import { createEnvelope } from './api/http/envelope.ts';
import { createPageLookup, createProviderLookup, createRecall } from './api/http/lookups.ts';
import { servePhotos } from './api/http/photos.ts';
import { refuseOtherSpellings } from './api/http/plain-paths.ts';
import { serveProbes } from './api/http/probes.ts';
import { answerErrors, createReport, createUnreadAnswers } from './api/http/problems.ts';
import { createRequestLog } from './api/http/request-log.ts';
import type { UnreadAnswer } from './api/http/unread-requests.ts';
import { takeUnsubscribing } from './api/http/unsubscribe.ts';
import { takeWebhookEvents } from './api/http/webhook-events.ts';
import { serveApiDocs } from './api/openapi/docs.ts';
import { createContextReader } from './api/procedures/context.ts';
import { createTrpcDoor } from './api/procedures/trpc-door.ts';
import { createRestAdapter } from './api/rest/rest.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { createServices, linksOf } from './app-services.ts';
import { createSupport } from './app-support.ts';
import { createDeviceMarks } from './auth/device-marks.ts';
import { noteMonthlyStatements } from './events/monthly-statements.ts';
import { forgetOutdatedMails } from './mail/outbox.ts';
import { createOperators } from './operators/operators.ts';
import { ANSWER_TIME_MS, answerWithin } from './payments/answer-time.ts';
export interface App {
  readonly fetch: Hono['fetch'];
  /** Answers bytes that could not be parsed as a request. @param peer the address of the connection. */
  refuseUnread(refusal: AppError, peer?: string): UnreadAnswer;
  /**
   * Forgets stale look-ups, reads the terms of tips, asks the storage what other processes have changed, ends streams
   * of sessions that are over, and stores ends of sessions that could not be stored. Call it every second.
   */
  tick(): Promise<void>;
  /** Deletes what has expired and closes the accounts whose grace period is over. Call it regularly. */
  sweep(): Promise<void>;
  /** Asks about payments without an event, and looks for what payments leave to the operator. Call it every minute. */
  sweepPayments(): Promise<void>;
  /** Call it every second. @returns when everything begun by then has ended. Never throws. */
  sendNotifications(): Promise<void>;
  endNotifications(): Promise<void>;
  /** Sends mails that are due. Call it every second. @returns when everything begun has ended. Never throws. */
  sendMails(): Promise<void>;
  endMails(): Promise<void>;
  /** Tells webhooks of events. Call it every second. @returns when everything begun has ended. Never throws. */
  tellWebhooks(): Promise<void>;
  endWebhooks(): Promise<void>;
  /** Logs the number of probes since the last call. Call it every hour and at the end. */
  tellProbes(): void;
  streams(): number;
  endStreams(): void;
}

export function createApp(deps: AppDependencies): App {
  const { config, storage, secrets, clock, random, log, pages, isShuttingDown, troubles } = deps;
  const { publicUrl, corsOrigins, trustedProxies, hashesLogNames } = config;
  const isSecure = publicUrl.startsWith('https:');

  const services = createServices(deps);
  const deviceMarks = createDeviceMarks({ key: secrets.device_mark, random, isSecure });
  const contextOf = createContextReader({ services, deviceMarks });
  const report = createReport(log);
  const clientAddress = createClientAddress(trustedProxies);
  const requestLog = createRequestLog({ log, key: secrets.log_names, hashesNames: hashesLogNames });
  const logging = { log: requestLog, clientAddress };
  const envelope = createEnvelope({ ...logging, inlineSources: pages?.inlineSources, isSecure });

  const links = linksOf(deps.own, publicUrl);
  const app = new Hono();
  app.use(envelope.middleware);
  allowOrigins(app, corsOrigins);
  serveProbes(app, {
    clock,
    isShuttingDown,
    proveWritable: () => storage.proveWritable(),
    troubles,
    maintenance: config.maintenance,
  });
  guardDoors(app, isShuttingDown);
  refuseOtherSpellings(app);
  serveApiDocs(app, publicUrl, config.registration, links);
  takeWebhookEvents(app, services.payments);
  app.route('/api', createRestAdapter(envelope, contextOf, report));
  app.use('/trpc/*', createTrpcDoor(contextOf, report));
  const operators = createOperators(deps, services);
  const isConsoleThere = createConsoleCheck(config.console);
  serveConsole(app, {
    services: {
      ...services,
      ...operators,
      ...createSupport(deps, services),
      storage,
      clock,
      upkeep: deps.upkeep,
    },
    isThere: isConsoleThere,
    isShuttingDown,
    report,
  });
  app.use('/api/*', () => {
    throw new AppError('not_found');
  });
  servePhotos(app, services.qrCodes);
  takeUnsubscribing(app, services.mail, links);
  pages?.serve(app, {
    lookUp: createPageLookup(services.qrCodes, report),
    findProvider: createProviderLookup(services.qrCodes),
    networkOf: (c) => contextOf(c).address().network,
    isConsoleThere,
  });
  answerErrors(app, publicUrl, report);

  // The fast path for look-ups may be taken only while nothing above it would answer differently.
  const mustBeRouted = () => corsOrigins.length > 0 || isShuttingDown();
  const recall = createRecall({ qrCodes: services.qrCodes, envelope, ...logging });

  return {
    fetch: (request, ...rest) =>
      (mustBeRouted() ? null : recall(request, rest[0])) ??
      answerWithin(ANSWER_TIME_MS, () => app.fetch(request, ...rest)),
    refuseUnread: createUnreadAnswers({ envelope, publicUrl, clock, report, ...logging }),
    async tick() {
      services.qrCodes.tick();
      await Promise.all([
        services.tipTerms.tick(),
        storage.lookForOthers().then(() => services.sessions.tick()),
      ]);
    },
    sweep: () =>
      runEach([
        () => services.sessions.sweep(),
        () => services.limits.sweep(),
        async () => services.mail?.sweep(),
        () => forgetOutdatedMails(storage, clock, log),
        () => services.invitations.sweep(),
        () => noteMonthlyStatements(storage, clock),
        () => services.apiKeys.sweep(),
        () => operators.operatorSessions.sweep(),
        async () => {
          const closed = await services.accounts.sweep();
          if (closed) log.info(closed, 'closed accounts for good');
        },
      ]),
    sweepPayments() {
      const watch = async () => services.paymentWatch?.look();
      return runEach([() => services.payments.sweep(watch), watch]);
    },
    sendNotifications: () => services.notifications.pass(),
    endNotifications: () => services.notifications.close(),
    sendMails: async () => services.mail?.pass(),
    endMails: async () => services.mail?.close(),
    tellWebhooks: () => services.webhooks.pass(),
    endWebhooks: () => services.webhooks.close(),
    tellProbes: () => requestLog.tellProbes(),
    streams: () => services.tipFeed.size(),
    endStreams: () => services.tipFeed.close(),
  };
}

/** Runs each in turn, also after one that failed. @throws what failed. */
async function runEach(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 1) throw new AggregateError(errors, 'several steps failed');
  if (errors.length === 1) throw errors[0];
}
