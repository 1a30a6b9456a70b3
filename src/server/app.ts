/**
 * Composes the product: the chapters over the storage, and the HTTP surface in the order in which a request
 * meets it.
 */
import { Hono } from 'hono';
import { AppError } from '#shared/errors.ts';
import { readOperatorContact } from '#shared/later/operator-contact.ts';
import { GUEST_RECEIPT_PREFIX, TRANSACTION_PREFIX } from '#shared/page-paths.ts';
import { createAnnouncements } from './announcements.ts';
import { createConsoleCheck, serveConsole } from './api/console/console-door.ts';
import { createClientAddress } from './api/http/client-address.ts';
import { allowOrigins, guardDoors } from './api/http/door.ts';
import { createEnvelope } from './api/http/envelope.ts';
import { createPageLookup, createProviderLookup, createRecall } from './api/http/lookups.ts';
import { servePhotos } from './api/http/photos.ts';
import { serveProbes } from './api/http/probes.ts';
import { answerErrors, createReport, createUnreadAnswers } from './api/http/problems.ts';
import { createRequestLog } from './api/http/request-log.ts';
import type { UnreadAnswer } from './api/http/unread-requests.ts';
import { takeUnsubscribing } from './api/http/unsubscribe.ts';
import { takeWebhookEvents } from './api/http/webhook-events.ts';
import { serveApiDocs } from './api/openapi/docs.ts';
import { createContextReader, type Services } from './api/procedures/context.ts';
import { createTrpcDoor } from './api/procedures/trpc-door.ts';
import { createRestAdapter } from './api/rest/rest.ts';
import { wireText } from './api/wire.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { createSupport } from './app-support.ts';
import { createAccounts } from './auth/accounts.ts';
import { createApiKeys } from './auth/api-keys.ts';
import { createDeviceMarks } from './auth/device-marks.ts';
import { createInvitations } from './auth/invitations.ts';
import { createMailLinks } from './auth/mail-links.ts';
import { createSessions } from './auth/sessions.ts';
import { createWaysIn } from './auth/ways-in.ts';
import { NO_BRAND, type OwnBrand, termsVersionOf } from './brand/own-brand.ts';
import { createAccountEvents } from './events/account-events.ts';
import { noteMonthlyStatements } from './events/monthly-statements.ts';
import { createWebhooks } from './events/webhooks.ts';
import { createExports } from './export/exports.ts';
import { createLimits, createNoLimits } from './limits/limits.ts';
import { createDrafts } from './mail/drafts.ts';
import type { SiteLink } from './mail/letter.ts';
import { createMail } from './mail/mail.ts';
import { createNotifications } from './notifications/notifications.ts';
import { createOperators } from './operators/operators.ts';
import { findAddresses, resolveAddresses } from './outgoing/request.ts';
import { createRefusal, holdPayments, holdPayouts } from './payments/maintenance.ts';
import { createPaidTips } from './payments/paid-tips.ts';
import { createPayouts } from './payments/payouts.ts';
import { createSimulatedPayments } from './payments/simulated.ts';
import { createPrinter } from './print/printer.ts';
import { createQrCodes } from './qr-codes/qr-codes.ts';
import { createStepQueue } from './queue/step-queue.ts';
import { createWorkQueue, WORK_LIMITS } from './queue/work-queue.ts';
import { createEarnings } from './tips/earnings.ts';
import { createGuestReceipts } from './tips/guest-receipts.ts';
import { createTipTerms } from './tips/terms.ts';
import { createTipFeed } from './tips/tip-feed.ts';
import { createTipMessages } from './tips/tip-messages.ts';
import { createTransactionView } from './tips/transaction-view.ts';
import { createTransactions } from './tips/transactions.ts';

/** Few, because a page of a history or the count of a busy day takes some milliseconds. */
const QUERIES_PER_TURN = 2;

export interface App {
  readonly fetch: Hono['fetch'];
  /** Answers bytes that could not be parsed as a request. @param peer the address of the connection. */
  refuseUnread(refusal: AppError, peer?: string): UnreadAnswer;
  /**
   * Forgets cached look-ups that are too old or were changed by an operator's command, ends the streams of
   * expired sessions, and retries failed saves. Call it every second.
   */
  tick(): Promise<void>;
  /** Deletes what has expired and closes the accounts whose grace period is over. Call it regularly. */
  sweep(): Promise<void>;
  /** Asks the payment service about payments without a webhook event. Call it every minute. */
  sweepPayments(): Promise<void>;
  /**
   * Notifies devices of tips that their owners received. Call it every second.
   * @returns when everything begun by then has ended. Never throws.
   */
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
  /** Ends all event streams so that the process can end; clients reconnect later or elsewhere. */
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

  const links = linksOf(deps.own ?? NO_BRAND, publicUrl);
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
      (mustBeRouted() ? null : recall(request, rest[0])) ?? app.fetch(request, ...rest),
    refuseUnread: createUnreadAnswers({ envelope, publicUrl, clock, report, ...logging }),
    async tick() {
      services.qrCodes.tick();
      await Promise.all([
        services.tipTerms.tick(),
        storage.lookForOthers().then(() => services.sessions.tick()),
      ]);
    },
    async sweep() {
      await services.sessions.sweep();
      await services.limits.sweep();
      await services.mail?.sweep();
      await services.invitations.sweep();
      await noteMonthlyStatements(storage, clock);
      await services.apiKeys.sweep();
      await operators.operatorSessions.sweep();
      const closed = await services.accounts.sweep();
      if (closed) log.info(closed, 'closed accounts for good');
    },
    sweepPayments: () => services.payments.sweep(),
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

function linksOf({ pages }: OwnBrand, publicUrl: string): readonly SiteLink[] {
  return pages.map(({ path, label }) => ({ label, url: publicUrl + path }));
}

/** The chapters over the storage, as the server and a command that needs most of them have them. */
function createServices({
  config,
  storage,
  secrets,
  passwords,
  clock,
  random,
  log,
  paymentService,
  mailRelay,
  blockedWords,
  drawing,
  own = NO_BRAND,
  troubles,
}: AppDependencies): Services {
  const sessions = createSessions({ storage, clock, random, lifetimeMs: config.sessionLifetimeMs });
  const draft = mailRelay ? createDrafts(clock, random) : () => undefined;
  const invitations = createInvitations({ storage, clock, random, mode: config.registration });
  const { undoMs, publicUrl } = config;
  const receipts = createGuestReceipts(secrets.giver_pseudonym);
  const { messages } = storage;
  const view = createTransactionView({
    key: secrets.giver_pseudonym,
    undoMs,
    clock,
    publicUrl,
    receipts,
    messages,
  });
  const queryQueue = createStepQueue(QUERIES_PER_TURN);
  const tipTerms = createTipTerms(storage, clock, log);
  const tipFeed = createTipFeed(storage, view);
  const notifications = createNotifications({
    storage,
    clock,
    random,
    log,
    publicUrl,
    findAddresses,
    pushHosts: config.pushHosts,
    secret: secrets.vapid,
  });
  const refusal = config.maintenance && createRefusal(config.maintenance, clock);
  const ownPayments = paymentService
    ? createPaidTips({
        storage,
        service: paymentService,
        clock,
        log,
        publicUrl,
        receiptTokenOf: receipts.tokenOf,
        tellHearing: (isHeard) => troubles[isHeard ? 'end' : 'begin']('unheard'),
        excludedCategories: config.stripe?.excludedCategories ?? [],
      })
    : createSimulatedPayments(storage);
  const payments = refusal ? holdPayments(ownPayments, storage, refusal) : ownPayments;
  const payouts = createPayouts({
    storage,
    service: paymentService,
    clock,
    publicUrl,
    excludedCategories: config.stripe?.excludedCategories ?? [],
  });
  return {
    sessions,
    apiKeys: createApiKeys({ storage, clock, random, draft, log }),
    accounts: createAccounts({
      storage,
      sessions,
      passwords,
      clock,
      random,
      draft,
      invitations,
      termsVersion: termsVersionOf(own),
    }),
    invitations,
    mailLinks: createMailLinks({ storage, sessions, passwords, clock, draft }),
    qrCodes: createQrCodes({ storage, clock, random, publicUrl, payments, draw: drawing.draw }),
    printer: createPrinter({
      publicUrl,
      clock,
      drawing,
      own: { fill: own.accent?.light.fill ?? null, logo: own.logo?.printed ?? null },
    }),
    payments,
    payouts: refusal ? holdPayouts(payouts, refusal) : payouts,
    tipFeed,
    transactions: createTransactions({
      storage,
      payments,
      receipts,
      clock,
      random,
      view,
      blockedWords,
      undoMs,
      queryQueue,
      tipTerms,
    }),
    tipTerms,
    tipMessages: createTipMessages({ storage, clock, log, view, blockedWords, queryQueue }),
    // A queue of its own: other queries of the account would hold the one place of insights longer.
    earnings: createEarnings(storage, createStepQueue(QUERIES_PER_TURN)),
    notifications,
    mail: mailRelay
      ? createMail({
          storage,
          clock,
          random,
          log,
          publicUrl,
          contact: readOperatorContact(config.operatorContact)?.text ?? null,
          relay: mailRelay,
          letterhead: {
            links: linksOf(own, publicUrl),
            accent: own.accent?.light.fill ?? null,
            logo: own.logo?.small ?? null,
          },
          draft,
          key: secrets.mail,
          receiptUrlOf: (id, isGuest) =>
            `${publicUrl}${isGuest ? GUEST_RECEIPT_PREFIX + receipts.tokenOf(id) : TRANSACTION_PREFIX + id}`,
        })
      : null,
    accountEvents: createAccountEvents(storage, createStepQueue(QUERIES_PER_TURN)),
    webhooks: createWebhooks({
      storage,
      clock,
      random,
      log,
      draft,
      findAddresses: resolveAddresses,
      isLoopbackAllowed: config.allowsLoopbackWebhooks,
      spell: wireText,
      tellDevices: notifications.tellOfWebhook,
    }),
    exports: createExports(storage, clock),
    ...createWaysIn({ storage, sessions, passwords, clock, random, publicUrl, key: secrets.totp, draft }),
    takesGuestTips: config.takesGuestTips,
    limits: config.isRateLimited ? createLimits(storage, clock) : createNoLimits(),
    hashingQueue: createWorkQueue(WORK_LIMITS.hashing),
    insightsQueue: createWorkQueue(WORK_LIMITS.insights),
    announcements: createAnnouncements({ storage, clock, maintenance: config.maintenance }),
  };
}
