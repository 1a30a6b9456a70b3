/** The storage port made of the steps; an engine adds or overrides what it does in its own way. */
import { createAccountSteps } from './accounts.ts';
import { createApiKeyLookup, createApiKeySteps } from './api-keys.ts';
import { createAuditLog } from './audit.ts';
import { createBookSteps } from './books.ts';
import { createCodes } from './codes.ts';
import { createDevices } from './devices.ts';
import type { Engine } from './engine.ts';
import { createEvents } from './events.ts';
import { createFactorSteps } from './factors.ts';
import { createInstallation } from './installation.ts';
import { createInvitationSteps } from './invitations.ts';
import { createMailLinkSteps } from './mail-links.ts';
import { createMails } from './mails.ts';
import { createMessages } from './messages.ts';
import { createOperations } from './operations.ts';
import { createOperators } from './operators.ts';
import { createOutboxes } from './outboxes.ts';
import { createPayments } from './payments.ts';
import { createPeopleSteps } from './people.ts';
import { createRecords } from './records.ts';
import { createSessionSteps } from './sessions.ts';
import { createSuspensions } from './suspensions.ts';
import { createTermsSteps } from './terms.ts';
import { createTips } from './tips.ts';
import { createWebhookSteps } from './webhooks.ts';

export const createStorage = (engine: Engine) => ({
  isShared: engine.isShared,
  subscribe: engine.listeners.subscribe,
  ...createAccountSteps(engine),
  ...createSessionSteps(engine),
  ...createCodes(engine),
  ...createInstallation(engine),
  ...createTips(engine),
  ...createRecords(engine),
  ...createBookSteps(engine),
  ...createTermsSteps(engine),
  ...createOutboxes(engine),
  ...createApiKeyLookup(engine),
  payments: createPayments(engine),
  messages: createMessages(engine),
  devices: createDevices(engine),
  mails: { ...createMails(engine), ...createMailLinkSteps(engine) },
  invitations: createInvitationSteps(engine),
  events: createEvents(engine),
  apiKeys: createApiKeySteps(engine),
  webhooks: createWebhookSteps(engine),
  audit: createAuditLog(engine),
  operations: createOperations(engine),
  operators: createOperators(engine),
  factors: createFactorSteps(engine),
  suspensions: createSuspensions(engine),
  people: createPeopleSteps(engine),
});
