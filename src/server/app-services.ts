/** Makes the chapters over the storage, for the server and for a command that needs most of them. */
import { readOperatorContact } from '#shared/later/operator-contact.ts';
import { GUEST_RECEIPT_PREFIX, TRANSACTION_PREFIX } from '#shared/page-paths.ts';
import { createAnnouncements } from './announcements.ts';
import type { Services } from './api/procedures/context.ts';
import { wireText } from './api/wire.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { createAccounts } from './auth/accounts.ts';
import { createApiKeys } from './auth/api-keys.ts';
import { createFactorDuty } from './auth/factor-duty.ts';
import { createInvitations } from './auth/invitations.ts';
import { createLogins } from './auth/logins.ts';
import { createMailLinks } from './auth/mail-links.ts';
import { createSecondFactors } from './auth/second-factors.ts';
import { createSessions } from './auth/sessions.ts';
import { type OwnBrand, termsOfUseOf } from './brand/own-brand.ts';
import { createAccountEvents } from './events/account-events.ts';
import { createWebhooks } from './events/webhooks.ts';
import { createExports } from './export/exports.ts';
import { createFactors } from './factors/factors.ts';
import { UNCOUNTED } from './limits/attempts.ts';
import { createLimits } from './limits/limits.ts';
import { createDrafts, NO_DRAFTS } from './mail/drafts.ts';
import type { SiteLink } from './mail/letter.ts';
import { createMail, type Mail } from './mail/mail.ts';
import type { Relay } from './mail/relay.ts';
import { createNotifications } from './notifications/notifications.ts';
import { createResolveAddresses, findAddresses } from './outgoing/request.ts';
import { createDisputeDeadlines } from './payments/dispute-deadlines.ts';
import { createRefusal, holdPayments, holdPayouts } from './payments/maintenance.ts';
import { createPaidTips } from './payments/paid-tips.ts';
import { createPaymentWatch } from './payments/payment-watch.ts';
import { createPayoutAccounts } from './payments/payout-accounts.ts';
import { createPayouts } from './payments/payouts.ts';
import { createSimulatedPayments } from './payments/simulated.ts';
import { createPrinter } from './print/printer.ts';
import { createQrCodes } from './qr-codes/qr-codes.ts';
import { createStepQueue } from './queue/step-queue.ts';
import { createWorkQueue, WORK_LIMITS } from './queue/work-queue.ts';
import { createEarnings } from './tips/earnings.ts';
import { createGuestReceipts, type GuestReceipts } from './tips/guest-receipts.ts';
import { createTipTerms, type TipTerms } from './tips/terms.ts';
import { createTipFeed } from './tips/tip-feed.ts';
import { createTipMessages } from './tips/tip-messages.ts';
import { createTransactionView } from './tips/transaction-view.ts';
import { createTransactions, type Transactions } from './tips/transactions.ts';

/** Few, because a page of a history or the count of a busy day takes some milliseconds. */
const QUERIES_PER_TURN = 2;

export type ServiceDependencies = Omit<AppDependencies, 'pages' | 'isShuttingDown' | 'upkeep'>;

export function linksOf({ pages }: OwnBrand, publicUrl: string): readonly SiteLink[] {
  return pages.map(({ path, label }) => ({ label, url: publicUrl + path }));
}

export function createServices(deps: ServiceDependencies): Services {
  const { config, storage, secrets, passwords, clock, random, log, mailRelay, blockedWords, drawing, own } =
    deps;
  const sessions = createSessions({ storage, clock, random, lifetimeMs: config.sessionLifetimeMs });
  const draft = mailRelay ? createDrafts(clock, random) : NO_DRAFTS;
  const factorDuty = createFactorDuty({ storage, isRequiredOfProviders: config.requiresProviderFactors });
  const ofAccounts = { storage, sessions, passwords, clock, random, draft, factorDuty };
  const invitations = createInvitations({ storage, clock, random, mode: config.registration });
  const { undoMs, publicUrl } = config;
  const factors = createFactors({ storage, clock, random, publicUrl, key: secrets.totp });
  const receipts = createGuestReceipts(secrets.giver_pseudonym);
  const { messages } = storage;
  const tipTerms = createTipTerms(storage, clock, log);
  const ofPayments = createPaymentServices(deps, receipts, tipTerms);
  const { payments } = ofPayments;
  const view = createTransactionView({
    key: secrets.giver_pseudonym,
    undoMs,
    clock,
    publicUrl,
    receipts,
    messages,
    learnTerms: tipTerms.learn,
    isOfKeys: payments.isOfKeys,
  });
  const queryQueue = createStepQueue(QUERIES_PER_TURN);
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
  const transactions = createTransactions({
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
  });
  return {
    sessions,
    apiKeys: createApiKeys({ storage, clock, random, draft, log }),
    accounts: createAccounts({ ...ofAccounts, invitations, termsOfUse: termsOfUseOf(own) }),
    invitations,
    mailLinks: createMailLinks({ storage, sessions, passwords, clock, draft }),
    qrCodes: createQrCodes({ storage, clock, random, publicUrl, payments, draw: drawing.draw }),
    printer: createPrinter({
      publicUrl,
      clock,
      drawing,
      own: { fill: own.accent?.light.fill ?? null, logo: own.logo?.printed ?? null },
    }),
    ...ofPayments,
    tipFeed,
    transactions,
    tipTerms,
    tipMessages: createTipMessages({ storage, clock, log, view, blockedWords, queryQueue }),
    // A queue of its own: other queries of the account would hold the one place of insights longer.
    earnings: createEarnings(storage, createStepQueue(QUERIES_PER_TURN), clock),
    notifications,
    mail: mailRelay ? createMailService(deps, mailRelay, receipts, transactions) : null,
    accountEvents: createAccountEvents(storage, createStepQueue(QUERIES_PER_TURN)),
    webhooks: createWebhooks({
      storage,
      clock,
      random,
      log,
      draft,
      findAddresses: createResolveAddresses(),
      isLoopbackAllowed: config.allowsLoopbackWebhooks,
      spell: wireText,
      tellDevices: notifications.tellOfWebhook,
    }),
    exports: createExports(storage, clock),
    factors,
    logins: createLogins({ ...ofAccounts, factors }),
    secondFactors: createSecondFactors({ factors, sessions, draft, factorDuty }),
    factorDuty,
    takesGuestTips: config.takesGuestTips,
    limits: createLimits(storage, clock, config.isRateLimited ? undefined : UNCOUNTED),
    hashingQueue: createWorkQueue(WORK_LIMITS.hashing),
    insightsQueue: createWorkQueue(WORK_LIMITS.insights),
    announcements: createAnnouncements({ storage, clock, maintenance: config.maintenance }),
  };
}

/** Payments, simulated or real, held during maintenance; and what watches the real ones. */
function createPaymentServices(
  { config, storage, clock, random, log, paymentService, troubles }: ServiceDependencies,
  receipts: GuestReceipts,
  tipTerms: TipTerms,
): Pick<Services, 'payments' | 'payouts' | 'paymentWatch' | 'disputeDeadlines'> {
  const { undoMs, publicUrl } = config;
  const excludedCategories = config.stripe?.excludedCategories ?? [];
  const refusal = config.maintenance && createRefusal(config.maintenance, clock);
  const deadlines = paymentService && createDisputeDeadlines(paymentService, clock);
  const paymentWatch =
    paymentService &&
    deadlines &&
    createPaymentWatch({
      storage,
      service: paymentService,
      deadlines,
      clock,
      log,
      terms: tipTerms.now,
      tell: (trouble, isPresent) => troubles[isPresent ? 'begin' : 'end'](trouble),
    });
  const real = paymentService && {
    service: paymentService,
    accounts: createPayoutAccounts({
      storage,
      service: paymentService,
      clock,
      log,
      tellUnheard: () => paymentWatch?.tellUnheardAccount(),
    }),
  };
  const payments = real
    ? createPaidTips({
        ...real,
        storage,
        clock,
        random,
        log,
        publicUrl,
        receiptTokenOf: receipts.tokenOf,
        undoMs,
        tellUnknown: (checkoutId) => paymentWatch?.tellUnknown(checkoutId),
        tellAnswering: (isAnswering) => paymentWatch?.tellAnswering(isAnswering),
        tellPages: (areMade) => paymentWatch?.tellPages(areMade),
        tellHearing: (isHeard) => paymentWatch?.tellHearing(isHeard),
        excludedCategories,
      })
    : createSimulatedPayments(storage, clock);
  const payouts = createPayouts({
    storage,
    real,
    clock,
    publicUrl,
    excludedCategories,
  });
  return {
    payments: refusal ? holdPayments(payments, storage, refusal) : payments,
    payouts: refusal ? holdPayouts(payouts, refusal) : payouts,
    // During maintenance the payment service is asked for nothing.
    paymentWatch: refusal ? null : paymentWatch,
    disputeDeadlines: refusal ? null : deadlines,
  };
}

function createMailService(
  { config, storage, secrets, clock, random, log, own }: ServiceDependencies,
  relay: Relay,
  receipts: GuestReceipts,
  transactions: Transactions,
): Mail {
  const { publicUrl } = config;
  return createMail({
    storage,
    clock,
    random,
    log,
    publicUrl,
    contact: readOperatorContact(config.operatorContact)?.text ?? null,
    relay,
    letterhead: {
      links: linksOf(own, publicUrl),
      accent: own.accent?.light.fill ?? null,
      logo: own.logo?.small ?? null,
    },
    key: secrets.mail,
    receiptUrlOf: (id, isGuest) =>
      `${publicUrl}${isGuest ? GUEST_RECEIPT_PREFIX + receipts.tokenOf(id) : TRANSACTION_PREFIX + id}`,
    sumsOf: transactions.sum,
    modeOf: async (account, period) =>
      (await transactions.list(account, { ...period, limit: 1 })).transactions[0]?.paymentMode ?? null,
    entriesOf: transactions.listEntries,
  });
}
