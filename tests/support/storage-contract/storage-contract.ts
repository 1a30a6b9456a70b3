/**
 * What the storage port promises, in sentences that hold on every engine: they are told through the port
 * alone. What only an engine can show, such as what a failing statement leaves behind, is told in its own
 * tests.
 */
import { describeAccounts } from './accounts.ts';
import { describeAdjustments } from './adjustments.ts';
import { describeApiKeys } from './api-keys.ts';
import { describeAttempts } from './attempts.ts';
import { describeAudit } from './audit.ts';
import { describeClosing } from './closing.ts';
import { describeDevices } from './devices.ts';
import { describeEvents } from './events.ts';
import { describeFactors } from './factors.ts';
import { describeHistories } from './histories.ts';
import { describeInstallation } from './installation.ts';
import { describeInvitations } from './invitations.ts';
import { describeMails } from './mails.ts';
import { describeWords } from './messages.ts';
import { describePaymentSigns } from './payment-signs.ts';
import { describePayments } from './payments.ts';
import { describeQrCodes } from './qr-codes.ts';
import { describeRecords } from './records.ts';
import { describeSessions } from './sessions.ts';
import { describeSuspending } from './suspending.ts';
import { describeTexts } from './texts.ts';
import { describeTipPages } from './tip-pages.ts';
import { describeTips } from './tips.ts';
import { describeWebhooks } from './webhooks.ts';

export function describeStorage(): void {
  describeAccounts();
  describeClosing();
  describeSuspending();
  describeSessions();
  describeQrCodes();
  describeTipPages();
  describeTips();
  describePayments();
  describePaymentSigns();
  describeAdjustments();
  describeWords();
  describeDevices();
  describeMails();
  describeInvitations();
  describeEvents();
  describeWebhooks();
  describeHistories();
  describeRecords();
  describeTexts();
  describeAttempts();
  describeInstallation();
  describeApiKeys();
  describeAudit();
  describeFactors();
}
