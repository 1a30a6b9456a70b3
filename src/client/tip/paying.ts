/**
 * The modules of paying, which are fetched together when an amount is chosen. Receipt and toasts are among them, so that
 * nobody pays who could not be told the outcome.
 */
import '../ui/toaster.tsx';
import { openAttempt, unsettledAttempt } from './attempt.ts';
import { PayingSteps } from './paying-steps.tsx';
import { sendTip } from './send-tip.ts';

export const paying = { PayingSteps, openAttempt, unsettledAttempt, sendTip };
